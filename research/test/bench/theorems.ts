import type { GameRules } from 'muster/engine';
import { normal, seeded } from '../../../test/engine/random-pool.ts';
import { printMarked, table } from '../../../test/tables/print.ts';
import { DynamicQueue } from '../../lib/dynamic-queue/dynamic-queue.ts';
import { partitionSolos } from '../../lib/partition/solo-partition.ts';

const plain: GameRules = { teamSize: 5, alpha: 1, p: 1, q: 2, beta: 0 };

/** What two theorems of Alman & McKay cost: the dynamic queue (Theorem 1) and the partition (Theorem 5). */
export function measureTheorems(scale: number, seed: number): string[][] {
  const random = seeded(seed);
  const size = (full: number) => Math.max(200, Math.round((full * scale) / 10) * 10);
  const skills = (n: number) =>
    Float64Array.from({ length: n }, () => Math.max(0, 1500 + 300 * normal(random)));
  const rows: string[][] = [];

  for (const n of [size(1e5), size(1e6)]) {
    const operations = size(4e5);
    const arriving = skills(operations);
    const queue = new DynamicQueue(plain);
    queue.load(skills(n).sort());
    const ids = Array.from({ length: n }, (_, id) => id);
    ids.push(queue.insert(1500));
    queue.best();
    const ms = cpuMs(() => {
      for (let i = 0; i < operations; i++) {
        if (i % 2 === 0) ids.push(queue.insert(arriving[i]));
        else {
          const at = Math.floor(random() * ids.length);
          queue.remove(ids[at]);
          ids[at] = ids.at(-1)!;
          ids.pop();
        }
        queue.best();
      }
    });
    rows.push([
      `insert or remove, then best game, n = ${n.toLocaleString('en')}`,
      '≥ 3 M operations/s',
      `${(operations / ms / 1000).toFixed(2)} M operations/s`,
    ]);
  }

  const input = skills(size(1e6));
  let reached = '';
  const ms = Math.min(
    ...Array.from({ length: 3 }, () =>
      cpuMs(() => {
        const { objective, lowerBound } = partitionSolos(input, plain);
        reached = `worst ${objective.toFixed(1)}, no partition below ${lowerBound.toFixed(1)}`;
      }),
    ),
  );
  rows.push([
    `offline partition of ${input.length.toLocaleString('en')} players, worst imbalance`,
    '< 100 ms, with a valid bound',
    `${ms.toFixed(0)} ms, ${reached}`,
  ]);
  return rows;
}

function cpuMs(work: () => void): number {
  const from = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(from);
  return (user + system) / 1000;
}

if (import.meta.main) {
  measureTheorems(0.1, 2);
  printMarked('theorems', table(['work', 'target', 'result'], measureTheorems(1, 1), [0, 1, 2]));
}
