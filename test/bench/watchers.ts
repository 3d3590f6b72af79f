/**
 * `npm run bench:watchers`: players who watch their tickets on a local cloud. How soon the message of a match comes beside its
 * webhook, what a wait of 60 s costs, and the memory of the service with thousands of watchers. Prints Markdown. Needs 10,000 open
 * files in each of two processes (`ulimit -n`).
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { machine, printMarked } from '../tables/print.ts';
import { crowd, waits } from './watchers-run.ts';
import { startService } from './watchers-service.ts';
import { costTable, latencyTable, memoryTable } from './watchers-tables.ts';

const { values } = parseArgs({
  options: {
    duels: { type: 'string', default: '200' },
    watchers: { type: 'string', default: '2500,5000,10000' },
  },
});
const each = { duels: Number(values.duels), waitMs: 60_000, everyMs: 100 };

console.log(`${machine()}, load ${loadavg()[0]!.toFixed(1)} before it\n`);
const service = await startService();
try {
  const unwatched = await waits(service, { ...each, waiting: 'unwatched' });
  console.error('measured waits that nobody watches');
  const watched = await waits(service, { ...each, waiting: 'watched' });
  console.error('measured waits that are watched');
  const presence = await waits(service, { ...each, waiting: 'presence' });
  console.error('measured waits with presence');
  printMarked('message beside webhook', latencyTable({ watched, presence }));
  printMarked('price of watching', costTable(each.duels, { unwatched, watched, presence }));
  printMarked(
    'memory of watchers',
    memoryTable(await crowd(service, values.watchers.split(',').map(Number))),
  );
} finally {
  await service.stop();
}
