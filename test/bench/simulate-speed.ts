import { poissonArrivals } from '../../lib/simulation/arrivals.ts';
import { play } from '../../lib/simulation/play.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { SCENARIOS } from './scenarios.ts';

const BUSY = SCENARIOS.find(({ title }) => title.startsWith('5v5, 50'))!;

/** Runs 5v5 at 50 players per second with `option-value`. Returns one sentence with processor time and memory. */
export function measureSpeed(players: number, seed: number): string {
  const traffic = {
    atEnd: 'stop' as const,
    skillSample: [800, 1150, 1500, 1850, 2200],
    arrivals: poissonArrivals({ population: BUSY.population, rate: BUSY.rate, players }, seededRandom(seed)),
  };
  const before = process.cpuUsage();
  const started = performance.now();
  const { steps, result } = play(BUSY.definition, traffic);
  let peakBytes = 0;
  for (const { ticks } of steps) {
    if (ticks % 100 === 0) peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
  }
  const { user, system } = process.cpuUsage(before);
  const { measures } = result();
  return (
    `${measures.players.toLocaleString('en-US')} players of 5v5 at 50 per second: ` +
    `${((performance.now() - started) / 1000).toFixed(1)} s, of processor time ${((user + system) / 1e6).toFixed(1)} s; ` +
    `at most ${measures.waitingPlayers.max} waiting, ${Math.round(peakBytes / 2 ** 20)} MB resident.`
  );
}
