/**
 * `node test/bench/after-kill.ts`: how soon each webhook comes after `muster serve --data` was killed under load. Prints Markdown.
 */
import { parseArgs } from 'node:util';
import { machine, printMarked, table } from '../tables/print.ts';
import { killUnderLoad } from './killed-service.ts';

const { values } = parseArgs({ options: { duels: { type: 'string', default: '200' } } });
const duels = Number(values.duels);

/** While the first requests are open, and after requests were cut for having no response. */
const HANGS_SECONDS = [2, 12];

console.log(`${machine()}\n`);
const rows: (string | number)[][] = [];
for (const seconds of HANGS_SECONDS) {
  const {
    inFlight,
    readySeconds,
    deliveredSeconds: all,
    repeated,
  } = await killUnderLoad(duels, seconds * 1000);
  const at = (share: number) => `${all[Math.ceil(share * all.length) - 1]!.toFixed(1)} s`;
  rows.push([
    `${seconds} s`,
    duels,
    inFlight,
    `${readySeconds.toFixed(1)} s`,
    at(0.5),
    at(0.99),
    at(1),
    repeated,
  ]);
  console.error(`killed after ${seconds} s`);
}
printMarked(
  'after a kill',
  table(
    [
      'killed',
      'matches',
      'in flight',
      'ready again',
      'half of the webhooks',
      '99%',
      'all',
      'delivered twice',
    ],
    rows,
  ),
);
