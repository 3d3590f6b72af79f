import { EVENT_TYPES, type EventType } from '../../lib/contract/event-type.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { Population } from '../../lib/simulation/population.ts';

/** The queue of the service's benchmark. */
export const DEFINITION: QueueDefinition = {
  name: 'bench',
  teamSize: 5,
  imbalance: { alpha: 1, p: 1, q: 2 },
  beta: 10,
  release: { policy: 'greedy' },
  tickSeconds: 1,
  timeoutSeconds: 600,
};

const skills = { kind: 'normal', mean: 1500, standardDeviation: 300 } as const;

/** A variant of the measurement: the players who arrive, and the events on the bus. */
export const VARIANTS: Readonly<Record<string, Variant>> = {
  solos: { population: { skills } },
  'solos in batches of ten': { population: { skills }, batch: 10 },
  'with parties': { population: { skills, partyWeights: [55, 25, 10, 3, 7] } },
  'solos, with TicketQueued': { population: { skills }, events: [...EVENT_TYPES] },
};

/** Variants that a run measures only when they are named. */
export const MORE_VARIANTS: Readonly<Record<string, Variant>> = {
  'solos, rated': { population: { skills }, ladder: 'ranked' },
  'solos in two queues': { population: { skills }, also: 1 },
  'solos, ready one by one': { population: { skills }, acceptance: { timeoutSeconds: 30, by: 'player' } },
};

export interface Variant {
  readonly population: Population;
  /** The tickets of a request. @default 1, by the route for one ticket */
  readonly batch?: number;
  readonly events?: EventType[];
  /** The players come without skill, and each match gets a result. @default none */
  readonly ladder?: string;
  /** The number of further queues, with the same definition, in which each ticket waits. @default 0 */
  readonly also?: number;
  /** Each player accepts as soon as the match is found. @default matches are not accepted */
  readonly acceptance?: QueueDefinition['acceptance'];
}
