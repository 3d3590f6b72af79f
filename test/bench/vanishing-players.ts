import { connectionStore } from '../../lib/aws/connection-store.ts';
import { toProblem } from '../../lib/aws/http.ts';
import { PRESENCE_PING_SECONDS } from '../../lib/contract/presence.ts';
import { silentAfterMs } from '../../lib/service/domain/presence.ts';
import { enqueue } from '../../lib/service/tickets/enqueue.ts';
import { answerFrame } from '../../lib/service/watching/answer-frame.ts';
import { connect } from '../../lib/service/watching/connect.ts';
import { disconnect } from '../../lib/service/watching/disconnect.ts';
import { type RandomSource, seededRandom } from '../../lib/simulation/random.ts';
import { startTables } from '../aws/emulated-tables.ts';
import { definition, putQueue } from '../service/definitions.ts';
import { VirtualCloud } from '../service/virtual-cloud.ts';
import { OPEN_SOCKETS } from '../service/watching/open-sockets.ts';
import { table } from '../tables/print.ts';

const GRACE_MS = 15_000;
const TICK_MS = 5_000;
const PING_MS = 1_000 * PRESENCE_PING_SECONDS;
/** Players are gone, or away for a moment, from some time within this on. */
const LEAVING_MS = 40_000;
/** For each player who vanishes, so many stay. */
const STAYING = 4;
/** Their opponents come within this after it. */
const OPPONENTS_MS = 60_000;

/** Something that happens at a time of the virtual clock. */
interface Step {
  readonly atMs: number;
  readonly act: () => Promise<unknown>;
}

interface Run {
  /** How long after its player had vanished each match with one was made. */
  readonly matchedAfterMs: readonly number[];
  readonly cancelled: number;
  /** Tickets that still had their first time of enqueueing when they were matched or at the end. */
  readonly kept: number;
}

/** The table of both: `players` who vanish, and as many who connect again. */
export async function presenceTable(options: { players: number; seed: number }): Promise<string> {
  const gone = await run(options, false);
  const back = await run(options, true);
  const boundMs = GRACE_MS + TICK_MS + silentAfterMs({ graceSeconds: GRACE_MS / 1_000 });
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);
  const last = Math.max(0, ...gone.matchedAfterMs);
  return table(
    ['players', 'number', 'tickets cancelled', 'places kept', 'last match with one who was gone', 'bound'],
    [
      [
        'vanish without a word',
        options.players,
        gone.cancelled,
        '',
        `${seconds(last)} s after`,
        `${seconds(boundMs)} s: the grace, a tick, and the silence before it`,
      ],
      ['away for less than the grace', options.players, back.cancelled, back.kept, '', ''],
    ],
  );
}

/** @param comesBack whether the players connect again within the grace, or are never heard of again */
async function run({ players, seed }: { players: number; seed: number }, comesBack: boolean): Promise<Run> {
  const tables = await startTables('memory');
  const cloud = new VirtualCloud(tables, [tables.stream('tickets'), tables.stream('matches')]);
  const queue = 'presence';
  const startMs = cloud.nowMs;
  await putQueue(
    cloud.deps.queues,
    definition({
      name: queue,
      tickSeconds: TICK_MS / 1_000,
      timeoutSeconds: 3_600,
      presence: { graceSeconds: GRACE_MS / 1_000 },
      // Each player has an opponent of its own.
      attributes: { pair: { type: 'string' } },
      rules: [{ name: 'own opponent', type: 'same', attribute: 'pair' }],
    } as never),
    startMs,
  );
  const deps = {
    ...cloud.deps,
    connections: connectionStore(cloud.client, tables.names.connections),
    sockets: OPEN_SOCKETS,
  };
  const random = seededRandom(seed).fork('presence');
  const goneAtMs = new Map<string, number>();
  const steps = Array.from({ length: players }, (_, i) => stepsOf(`p${i}`)).flat();
  // Where all vanish at once, their pings would count as lost.
  for (let i = 0; i < STAYING * players && !comesBack; i++) steps.push(...stayingSteps(`s${i}`));
  await inOrder(cloud, steps);
  await cloud.run(GRACE_MS + 2 * PING_MS + 4 * TICK_MS);
  await tables.stop();
  return outcomeOf();

  function actsOf(name: string) {
    const watcher = { ticketId: name, queue, playerId: name, player: 0, enqueuedAtMs: startMs };
    const post = (ticketId: string) => () =>
      enqueue(
        cloud.deps,
        queue,
        { ticketId, players: [{ playerId: ticketId, skill: 1, attributes: { pair: name } }] },
        cloud.nowMs,
      );
    const open = (id: string) => () => connect(deps, watcher, `${name}-${id}`, cloud.nowMs);
    const ping = (id: string) => () =>
      answerFrame(deps, watcher, `${name}-${id}`, '{"action":"ping"}', toProblem);
    return { watcher, post, open, ping };
  }

  function stayingSteps(name: string): Step[] {
    const { post, open, ping } = actsOf(name);
    const first = [post(name), open('first')].map((act) => ({ atMs: startMs, act }));
    return [...first, ...pingsOf(startMs, startMs + LEAVING_MS + OPPONENTS_MS + 2 * PING_MS, ping('first'))];
  }

  function stepsOf(name: string): Step[] {
    const { watcher, post, open, ping } = actsOf(name);
    const leftMs = startMs + 1 + random.integer(LEAVING_MS);
    const opponentMs = leftMs + 1 + random.integer(OPPONENTS_MS);
    goneAtMs.set(name, leftMs);
    const begin: Step[] = [
      { atMs: startMs, act: post(name) },
      { atMs: startMs, act: open('first') },
      ...pingsOf(startMs, leftMs, ping('first')),
      { atMs: opponentMs, act: post(`${name}-opponent`) },
    ];
    return comesBack ? [...begin, ...returning(leftMs, random)] : begin;

    /** Half of the ends are reported. The player is back before the grace is over, and pings until the opponent has come. */
    function returning(awayMs: number, chances: RandomSource): Step[] {
      const backMs = awayMs + chances.integer(GRACE_MS);
      const end = () => disconnect(deps, watcher, `${name}-first`, cloud.nowMs);
      return [
        ...(chances.uniform() < 0.5 ? [{ atMs: awayMs, act: end }] : []),
        { atMs: backMs, act: open('second') },
        ...pingsOf(backMs, opponentMs + 2 * TICK_MS, ping('second')),
      ];
    }
  }

  function outcomeOf(): Run {
    const matchedAfterMs: number[] = [];
    const matched = new Map<string, string>();
    const cancelled = new Set<string>();
    for (const change of cloud.changes) {
      const { table: where, before, after } = change;
      if (where === 'matches' && before === undefined)
        for (const ticketId of after.ticketIds) {
          const leftMs = goneAtMs.get(ticketId);
          if (leftMs !== undefined) matchedAfterMs.push(Date.parse(after.createdAt) - leftMs);
        }
      if (where === 'tickets' && after.matchId !== undefined) matched.set(after.ticketId, after.enqueuedAt);
      if (where === 'tickets' && after.reasonCode === 'PLAYER_LEFT') cancelled.add(after.ticketId);
    }
    const isKept = (name: string) => matched.get(name) === new Date(startMs).toISOString();
    return {
      matchedAfterMs,
      cancelled: cancelled.size,
      kept: [...goneAtMs.keys()].filter(isKept).length,
    };
  }
}

function pingsOf(fromMs: number, untilMs: number, act: Step['act']): Step[] {
  const count = Math.max(0, Math.ceil((untilMs - fromMs) / PING_MS) - 1);
  return Array.from({ length: count }, (_, i) => ({ atMs: fromMs + (i + 1) * PING_MS, act }));
}

/** Runs the cloud from step to step. */
async function inOrder(cloud: VirtualCloud, steps: readonly Step[]): Promise<void> {
  for (const { atMs, act } of [...steps].sort((a, b) => a.atMs - b.atMs)) {
    if (atMs > cloud.nowMs) await cloud.run(atMs - cloud.nowMs);
    await act();
  }
}
