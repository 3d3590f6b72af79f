import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { Player } from '../../lib/engine/types.ts';
import { drawParty, meanPartySize, type Population } from '../../lib/simulation/population.ts';
import type { RandomSource } from '../../lib/simulation/random.ts';

/** What a client does after it has posted its ticket. */
export type Behaviour =
  /** Waits for the webhook and sends no request. */
  | { readonly does: 'waits' }
  /** Polls the ticket at intervals until it ends. */
  | { readonly does: 'polls'; readonly everyMs: number }
  /** Polls with `waitSeconds` until the ticket ends. */
  | { readonly does: 'long-polls'; readonly waitSeconds: number }
  /** Disconnects during a long poll and sends no further request. */
  | { readonly does: 'disconnects'; readonly afterMs: number }
  | { readonly does: 'cancels'; readonly afterMs: number }
  /** Polls for the match, and accepts or declines it `afterMs` later; never when that is undefined. */
  | { readonly does: 'responds'; readonly accepted: boolean; readonly afterMs: number | undefined };

export interface PlannedTicket {
  readonly queue: string;
  readonly ticketId: string;
  readonly players: readonly Player[];
  /** Milliseconds after the previous ticket. */
  readonly afterMs: number;
  readonly behaviour: Behaviour;
}

const ACCEPTANCE_SECONDS = 5;

/** Two queues: 5v5, and duels that require acceptance. Tickets time out early, so that a run can drain. */
export const QUEUES: readonly QueueDefinition[] = [
  {
    name: 'soak',
    teamSize: 5,
    imbalance: { alpha: 1, p: 1, q: 2 },
    beta: 10,
    release: { policy: 'greedy' },
    tickSeconds: 1,
    timeoutSeconds: 20,
  },
  {
    name: 'soak-duel',
    teamSize: 1,
    imbalance: { alpha: 1, p: 1, q: 2 },
    beta: 10,
    release: { policy: 'greedy' },
    tickSeconds: 1,
    timeoutSeconds: 20,
    acceptance: { timeoutSeconds: ACCEPTANCE_SECONDS },
  },
];

const DUEL_SHARE = 0.1;
const SKILLS = { kind: 'normal', mean: 1500, standardDeviation: 300 } as const;
const PARTIES: Population = { skills: SKILLS, partyWeights: [55, 25, 10, 3, 7] };
const SOLOS: Population = { skills: SKILLS };

/** An endless sequence of tickets that arrive as a Poisson process at this rate of players. */
export function* plannedTickets(playersPerSecond: number, random: RandomSource): Generator<PlannedTicket> {
  const meanSize = (1 - DUEL_SHARE) * meanPartySize(PARTIES) + DUEL_SHARE;
  for (let number = 1; ; number++) {
    const ticketId = `soak-${number}`;
    const duel = random.uniform() < DUEL_SHARE;
    yield {
      queue: duel ? 'soak-duel' : 'soak',
      ticketId,
      players: drawParty(duel ? SOLOS : PARTIES, ticketId, random),
      afterMs: 1_000 * random.exponential(playersPerSecond / meanSize),
      behaviour: duel ? duelClient(random) : player(random),
    };
  }
}

function player(random: RandomSource): Behaviour {
  const draw = random.uniform();
  if (draw < 0.5) return { does: 'waits' };
  if (draw < 0.72) return { does: 'polls', everyMs: 2_000 };
  if (draw < 0.8) return { does: 'long-polls', waitSeconds: 5 };
  if (draw < 0.88) return { does: 'disconnects', afterMs: 2_000 * random.uniform() };
  return { does: 'cancels', afterMs: 3_000 * random.uniform() };
}

/** Three of four accept in time; the others accept late, decline, or do not respond. */
function duelClient(random: RandomSource): Behaviour {
  const draw = random.uniform();
  if (draw < 0.75) return { does: 'responds', accepted: true, afterMs: 1_000 * random.uniform() };
  if (draw < 0.85) return { does: 'responds', accepted: true, afterMs: (ACCEPTANCE_SECONDS + 1) * 1_000 };
  if (draw < 0.92) return { does: 'responds', accepted: false, afterMs: 1_000 * random.uniform() };
  return { does: 'responds', accepted: false, afterMs: undefined };
}
