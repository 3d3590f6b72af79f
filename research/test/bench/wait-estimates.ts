/**
 * What estimated waits cost a tick: `npx node research/test/bench/wait-estimates.ts`. Plays queues, counts all of their ticks again for the
 * table of waits, and compares the processor time of the counting with that of the ticks. Prints the size of the tables, which
 * each tick stores with its report.
 */
import { readFileSync } from 'node:fs';
import { queueDefinition } from '../../../lib/contract/queue-definition.ts';
import type { Ticket } from '../../../lib/engine/types.ts';
import type { TickMemory } from '../../../lib/policies/plan.ts';
import { countTick, shareBelow, type WaitTable } from '../../../lib/policies/waits/wait-table.ts';
import { WaitCalibration } from '../../../lib/simulation/calibration.ts';
import { simulate } from '../../../lib/simulation/simulate.ts';
import { type TrafficOptions, trafficOfOptions } from '../../../lib/simulation/traffic-options.ts';

interface Tick {
  readonly tickets: readonly Ticket[];
  readonly matchedIds: ReadonlySet<string>;
  readonly memory: TickMemory;
  readonly nowMs: number;
}

/** Keeps what each tick has searched. */
class Recorder extends WaitCalibration {
  readonly ticks: Tick[] = [];
  override searching(): void {}
  override searched(
    _range: string,
    tickets: readonly Ticket[],
    matchedIds: ReadonlySet<string>,
    memory: TickMemory,
    nowMs: number,
  ): void {
    this.ticks.push({ tickets: [...tickets], matchedIds, memory, nowMs });
  }
}

const CASES: readonly (readonly [queue: string, options: Omit<TrafficOptions, 'seed'>])[] = [
  ['arena', { rate: '5', players: '20000' }],
  ['arena', { rate: '50', players: '50000' }],
  ['arena', { rate: '5', players: '10000', parties: '1=75,2=15,5=10' }],
  ['raid', { rate: '3', players: '4000' }],
];

console.log('| traffic | waiting, mean | ticks | time of a tick, ms | counting, ms | share | table, bytes |');
console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: |');
for (const [queue, options] of CASES) {
  const file = new URL(`../../queues/${queue}.json`, import.meta.url);
  const rules = queueDefinition.parse(JSON.parse(readFileSync(file, 'utf8')));
  const { arrivals, atEnd } = trafficOfOptions({ seed: '1', ...options }, rules, { players: 1 }, () => []);
  const recorder = new Recorder(rules);
  const playedMs = cpuMs(() => {
    for (const _ of simulate({ rules, arrivals, atEnd, observers: [recorder] }));
  });
  let table: WaitTable | undefined;
  const countedMs = cpuMs(() => {
    for (const { tickets, matchedIds, memory, nowMs } of recorder.ticks) {
      const tickMs = 1000 * rules.tickSeconds;
      table = countTick(table, tickets, matchedIds, { tickMs, nowMs, part: shareBelow(memory.skills) });
    }
  });
  const { length } = recorder.ticks;
  const waiting = recorder.ticks.reduce((total, { tickets }) => total + tickets.length, 0) / length;
  const flags = Object.entries(options).map(([name, value]) => `--${name} ${value}`);
  const cells = [
    waiting.toFixed(0),
    length.toLocaleString('en-US'),
    (playedMs / length).toFixed(3),
    (countedMs / length).toFixed(4),
    `${((100 * countedMs) / playedMs).toFixed(1)}%`,
    JSON.stringify(table).length.toLocaleString('en-US'),
  ];
  console.log(`| \`${queue}.json ${flags.join(' ')}\` | ${cells.join(' | ')} |`);
}

/** The processor time of this process that a function takes, in milliseconds. */
function cpuMs(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
