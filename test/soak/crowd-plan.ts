import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { Player } from '../../lib/engine/types.ts';
import { drawParty, meanPartySize, type Population } from '../../lib/simulation/population.ts';
import type { RandomSource } from '../../lib/simulation/random.ts';

/** What a client does with its ticket once it is posted. */
export type Behaviour =
  /** Waits for the webhook and asks nothing. */
  | { readonly does: 'waits' }
  /** Asks for the ticket every so often until it ends. */
  | { readonly does: 'polls'; readonly everyMs: number }
  /** Asks with `waitSeconds` until it ends. */
  | { readonly does: 'long-polls'; readonly waitSeconds: number }
  /** Hangs up in the middle of such a request and is never heard of again. */
  | { readonly does: 'dies'; readonly afterMs: number }
  | { readonly does: 'cancels'; readonly afterMs: number }
  /** Polls for the match, and answers it so long after; undefined: it dies instead. */
  | { readonly does: 'answers'; readonly accepted: boolean; readonly afterMs: number | undefined };

export interface PlannedTicket {
  readonly queue: string;
  readonly ticketId: string;
  readonly players: readonly Player[];
  /** After the ticket before it. */
  readonly afterMs: number;
  readonly behaviour: Behaviour;
}

const ACCEPTANCE_SECONDS = 5;

/** Two queues: one as it comes, and duels whose players must accept. Tickets end soon, so that a run can drain. */
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

/** The tickets of a crowd, one after the other, at a rate of players a second (Poisson). */
export function* crowdPlan(playersPerSecond: number, random: RandomSource): Generator<PlannedTicket> {
  const meanSize = (1 - DUEL_SHARE) * meanPartySize(PARTIES) + DUEL_SHARE;
  for (let number = 1; ; number++) {
    const ticketId = `soak-${number}`;
    const duel = random.uniform() < DUEL_SHARE;
    yield {
      queue: duel ? 'soak-duel' : 'soak',
      ticketId,
      players: drawParty(duel ? SOLOS : PARTIES, ticketId, random),
      afterMs: 1_000 * random.exponential(playersPerSecond / meanSize),
      behaviour: duel ? duellist(random) : player(random),
    };
  }
}

function player(random: RandomSource): Behaviour {
  const draw = random.uniform();
  if (draw < 0.5) return { does: 'waits' };
  if (draw < 0.72) return { does: 'polls', everyMs: 2_000 };
  if (draw < 0.8) return { does: 'long-polls', waitSeconds: 5 };
  if (draw < 0.88) return { does: 'dies', afterMs: 2_000 * random.uniform() };
  return { does: 'cancels', afterMs: 3_000 * random.uniform() };
}

/** Three of four accept in time; the others are late, turn the match down, or die. */
function duellist(random: RandomSource): Behaviour {
  const draw = random.uniform();
  if (draw < 0.75) return { does: 'answers', accepted: true, afterMs: 1_000 * random.uniform() };
  if (draw < 0.85) return { does: 'answers', accepted: true, afterMs: (ACCEPTANCE_SECONDS + 1) * 1_000 };
  if (draw < 0.92) return { does: 'answers', accepted: false, afterMs: 1_000 * random.uniform() };
  return { does: 'answers', accepted: false, afterMs: undefined };
}
