import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import type { Player } from '../../../lib/engine/types.ts';
import type { OutboundResult } from '../../../lib/service/ports/outbound.ts';
import { type RandomSource, seededRandom } from '../../../lib/simulation/random.ts';
import { definition } from '../definitions.ts';

/** A queue with those who play in it, and the endpoints of its studio. */
export interface Tenant {
  readonly definition: QueueDefinition;
  /** Tickets that arrive together, and the seconds from one such group to the next. */
  readonly group: number;
  readonly everySeconds: number;
  readonly player: (random: RandomSource) => Omit<Player, 'playerId'>;
  /** Milliseconds of processor time from one look at the clock to the next, while a tick of the queue plans. */
  readonly planMs: number;
  /** What its webhook receivers and its provisioner do. */
  readonly answer: (random: RandomSource, timeoutMs: number) => Answer;
  /** Whether its receivers respond in time, so that each must get a webhook about each of its matches in the end. */
  readonly losesNothing: boolean;
  /** Whether the definition is one of a later version from time to time, which this one cannot read. */
  readonly comesAndGoes?: true;
}

export interface Answer {
  readonly afterMs: number;
  readonly result: OutboundResult;
}

export const GOOD = 'good';

const SECRET = 'shared/s';
const ASSIGNMENT = JSON.stringify({ address: 'games.example' });

function endpoints(name: string, webhooks = 1) {
  return {
    name,
    provisioner: { type: 'http', url: `https://${name}.example/servers`, timeoutSeconds: 20 } as const,
    webhooks: Array.from({ length: webhooks }, (_, n) => ({
      url: `https://${name}.example/hooks/${n}`,
      secret: SECRET,
    })),
  };
}

const solo = (random: RandomSource) => ({ skill: random.uniform() * 100 });

function answers(random: RandomSource): Answer {
  const afterMs = 20 + random.integer(60);
  return { afterMs, result: { outcome: 'responded', status: 200, body: ASSIGNMENT } };
}

const noResponse: OutboundResult = { outcome: 'unreachable', error: 'no response in time' };

/** Duels with a provisioner and a webhook. */
export function goodTenant(): Tenant {
  return {
    definition: definition({ ...endpoints(GOOD), timeoutSeconds: 120 }),
    group: 2,
    everySeconds: 0.5,
    player: solo,
    planMs: 0.1,
    answer: answers,
    losesNothing: true,
  };
}

type Kind = (name: string) => Partial<Tenant>;

const KINDS: readonly Kind[] = [
  // Receivers and provisioners that stall or upgrade: `outbound` ends both at the time limit.
  () => ({ answer: (_, timeoutMs) => ({ afterMs: timeoutMs, result: noResponse }) }),
  // That drip: the last byte comes just in time. They are asked often enough to hold all executions.
  () => ({
    answer: (random, timeoutMs) => ({ ...answers(random), afterMs: 0.98 * timeoutMs }),
    group: 20,
  }),
  () => ({ answer: lies }),
  () => ({ comesAndGoes: true }),
  (name) => clans(name, 5),
  (name) => clans(name, 200),
  // Matches near the limit of an item, and beyond.
  (name) => royale(name, 50, 0),
  // Events near the limit of a message, and batches of them beyond.
  (name) => royale(name, 20, 5),
];

function lies(random: RandomSource): Answer {
  const results: readonly OutboundResult[] = [
    { outcome: 'responded', status: 200, body: '<html>' },
    { outcome: 'responded', status: 200, body: JSON.stringify({ address: 'x'.repeat(60_000) }) },
    { outcome: 'responded', status: 301, body: '' },
    { outcome: 'responded', status: 500, body: ASSIGNMENT },
    { outcome: 'unreachable', error: 'expected a shorter response' },
  ];
  return { afterMs: random.integer(2_000), result: results[random.integer(results.length)]! };
}

/** A search that looks at many divisions of its players, and needs this long from one look at the clock to the next. */
function clans(name: string, planMs: number): Partial<Tenant> {
  return {
    definition: definition({
      ...endpoints(name),
      teamSize: 5,
      timeoutSeconds: 30,
      attributes: { clan: { type: 'string' } },
      rules: [{ name: 'Clan', type: 'same', attribute: 'clan', scope: 'team' }],
    }),
    group: 20,
    everySeconds: 5,
    player: (random) => ({ skill: random.uniform() * 100, attributes: { clan: `c${random.integer(4)}` } }),
    planMs,
  };
}

function royale(name: string, texts: number, webhooks: number): Partial<Tenant> {
  const text = (random: RandomSource) => random.uniform().toString(36).padEnd(36, '.').slice(0, 36);
  return {
    definition: definition({
      ...endpoints(name, webhooks),
      teamSize: 100,
      timeoutSeconds: 30,
      attributes: { packs: { type: 'strings' } },
    }),
    group: 200,
    everySeconds: 10,
    player: (random) => ({
      skill: random.uniform() * 100,
      attributes: { packs: Array.from({ length: texts }, () => text(random)) },
    }),
  };
}

/** Three hostile tenants of different kinds. Three seeds in a row, of which the first is a multiple of three, have all kinds. */
export function hostileTenants(seed: number): Tenant[] {
  const random = seededRandom(Math.floor(seed / 3)).fork('kinds');
  const kinds = KINDS.map((kind) => ({ kind, order: random.uniform() }))
    .sort((a, b) => a.order - b.order)
    .map(({ kind }) => kind);
  return [0, 1, 2].map((n) => {
    const name = `hostile-${n}`;
    const own = kinds[(3 * (seed % 3) + n) % kinds.length]!(name);
    return {
      group: 4,
      everySeconds: 1,
      player: solo,
      planMs: 0.1,
      answer: answers,
      losesNothing: own.answer === undefined,
      definition: definition({ ...endpoints(name, 2), timeoutSeconds: 30 }),
      ...own,
    };
  });
}
