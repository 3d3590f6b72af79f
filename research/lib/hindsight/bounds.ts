import type { Ticket } from 'muster/engine';
import {
  generatedTraffic,
  meanPartySize,
  type Population,
  type QueueDefinition,
  type Traffic,
} from 'muster/simulation';
import {
  ARENA,
  DUEL,
  PARTIES,
  RAID,
  ROLE_PLAYERS,
  SOLO_PLAYERS,
  STANDARD_SKILLS,
} from '../../../test/bench/scenarios.ts';
import { atMost, type Finding, type Reproduction, reproduction, type Section } from '../papers/finding.ts';
import type { ArrivalLaw } from './foresight.ts';
import { type Bounds, measureBounds } from './measure-bounds.ts';

/** A queue and its players, who keep arriving after those that are counted. */
export interface BoundsScenario {
  readonly title: string;
  readonly definition: QueueDefinition;
  readonly traffic: Traffic;
  /** Players that are counted. */
  readonly players: number;
}

/** A scenario whose arrivals have a known law. */
export interface StandardScenario extends BoundsScenario {
  readonly law: ArrivalLaw;
}

/** As many seconds of later arrivals as the last tickets can be expected to wait at most. */
const LATER_SECONDS = 900;

/**
 * 5v5 with solo players at three rates, with parties and with roles, and 1v1. The same seed gives the same players.
 *
 * @param playersAtOne players at a rate of 1 per second. Waits shorten with the square root of the rate, so at other rates
 *   there are more players by that factor: then the span has as many waits, and its ends count as much.
 */
export function standardScenarios(playersAtOne: number, seed: number): StandardScenario[] {
  const { mean, standardDeviation } = STANDARD_SKILLS;
  const scenario = (
    title: string,
    definition: QueueDefinition,
    population: Population,
    perSecond: number,
  ): StandardScenario => {
    const players = Math.round(playersAtOne * Math.sqrt(perSecond));
    const rate = { kind: 'constant', perSecond } as const;
    const arriving = players + LATER_SECONDS * perSecond;
    return {
      title,
      definition,
      players,
      traffic: generatedTraffic({ population, rate, players: arriving }, seed),
      law: {
        perTick: (perSecond * definition.tickSeconds) / meanPartySize(population),
        density: (skill) =>
          Math.exp(-(((skill - mean) / standardDeviation) ** 2) / 2) /
          (standardDeviation * Math.sqrt(2 * Math.PI)),
      },
    };
  };
  return [
    scenario('5v5, 1 player per second', ARENA, SOLO_PLAYERS, 1),
    scenario('5v5, 5 players per second', ARENA, SOLO_PLAYERS, 5),
    scenario('5v5, 50 players per second', ARENA, SOLO_PLAYERS, 50),
    scenario('5v5 with parties, 5 players per second', ARENA, PARTIES, 5),
    scenario('5v5 with roles, 5 players per second', RAID, ROLE_PLAYERS, 5),
    scenario('1v1, 1 player per second', DUEL, SOLO_PLAYERS, 1),
  ];
}

/**
 * A queue on recorded tickets, sorted by arrival. The last fifth of the players does not count: they are there to play with
 * those before them.
 */
export function scenarioOfTickets(
  definition: QueueDefinition,
  tickets: readonly Ticket[],
  playersMax: number,
): BoundsScenario {
  const all = tickets.toSorted((a, b) => a.enqueuedAtMs - b.enqueuedAtMs);
  const players = all.reduce((sum, ticket) => sum + ticket.players.length, 0);
  return {
    title: definition.name,
    definition,
    players: Math.min(playersMax, Math.floor(0.8 * players)),
    traffic: {
      arrivals: all.map((ticket) => ({ ticket, patienceMs: Number.POSITIVE_INFINITY })),
      skillSample: all.flatMap((ticket) => ticket.players.map(({ skill }) => skill)),
      atEnd: 'drain',
    },
  };
}

/** How far `option-value` is from the best possible: a proved bound on every schedule, and the best schedules known. */
export async function reproduceBounds(
  scenarios: readonly BoundsScenario[],
  { seed, players }: { readonly seed: number; readonly players: number },
): Promise<Reproduction> {
  const sections: Section[] = [];
  for (const { title, definition, traffic, players: counted } of scenarios) {
    const bounds = await measureBounds(definition, traffic, { players: counted, seed });
    sections.push({
      title: `${title}: imbalance + waitCost · wait per player, ${bounds.players} players`,
      findings: findingsOf(bounds),
    });
  }
  const source = 'A lower bound on the cost of every schedule, certified; research/docs/bounds.md';
  return reproduction('bounds', source, { seed, players }, sections);
}

function findingsOf(bounds: Bounds): Finding[] {
  const { certified, program, hindsight, online, onlineWaitCost, optionValue, repeated } = bounds;
  const above = (cost: number, bound: number) => `${(cost / bound).toFixed(3)} times`;
  return [
    atMost('lower bound for every schedule, certified', hindsight, { value: certified }),
    atMost('value of the linear program', hindsight, { value: program }, 'not a bound'),
    atMost(
      'best schedule found with hindsight',
      optionValue,
      { value: hindsight },
      above(hindsight, certified),
    ),
    atMost(
      'best policy known',
      optionValue,
      { value: online },
      `option-value with waitCost ${onlineWaitCost}; ${above(online, certified)} the bound`,
    ),
    {
      what: 'option-value',
      ours: optionValue,
      verdict: 'holds',
      note: `${above(optionValue, certified)} the bound, ${above(optionValue, hindsight)} the best with hindsight`,
    },
    atMost('the same arrivals again and again: lower bound, certified', repeated.played, {
      value: repeated.certified,
    }),
    {
      what: 'the same arrivals again and again: option-value',
      ours: repeated.played,
      verdict: 'holds',
      note: `${above(repeated.played, repeated.certified)} the bound`,
    },
  ];
}
