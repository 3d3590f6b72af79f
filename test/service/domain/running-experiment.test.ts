import { expect, it } from 'vitest';
import type { QueueRecord, StoredExperiment } from '../../../lib/service/domain/queue-record.ts';
import { definitionAt } from '../../../lib/service/domain/running-experiment.ts';
import { definition } from '../definitions.ts';

it('two queues whose experiments are equal are each searched by variants of their own definition', () => {
  const experiment: StoredExperiment = {
    definition: {
      name: 'wider',
      variants: [
        { name: 'one', changes: { beta: 1 } },
        { name: 'two', changes: { beta: 2 } },
      ],
      blockMinutes: 5,
      days: 1,
    },
    schedule: { seed: 1, startMs: 0, blockMs: 300_000, burnInMs: 0, variants: 2, rounds: 10 },
    ofVersion: 1,
  };
  const recordOf = (name: string): QueueRecord => ({
    definition: definition({ name }),
    version: 1,
    layouts: [],
    awakeUntilMs: 0,
    sentUntilMs: 0,
    experiment,
  });
  for (const name of ['duel', 'raid']) {
    const inForce = definitionAt(recordOf(name), 1_000);
    expect(inForce.name).toBe(name);
    expect([1, 2]).toContain(inForce.beta);
  }
});
