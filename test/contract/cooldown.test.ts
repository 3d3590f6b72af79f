import { describe, expect, it } from 'vitest';
import { COOLDOWN_LIMITS } from '../../lib/contract/cooldown.ts';
import { checkQueueDefinition, type QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { definition } from '../service/definitions.ts';

const STEP = { times: 1, seconds: 30 };

/** The faults of a definition with this cooldown; none when it is valid. */
function faults(
  cooldown: unknown,
  changes: Partial<QueueDefinition> = { acceptance: { timeoutSeconds: 20 } },
) {
  try {
    checkQueueDefinition(definition({ ...changes, cooldown: cooldown as never }), 'definition');
    return [];
  } catch (error) {
    return (error as { errors: { pointer: string; detail: string }[] }).errors;
  }
}

describe('the cooldown of a definition', () => {
  it('may be for declines, for leaving, or for both', () => {
    expect(faults({ decline: [STEP] })).toEqual([]);
    expect(faults({ leave: [STEP] }, {})).toEqual([]);
    expect(
      faults({ decline: [STEP, { times: 3, seconds: 30 }], leave: [STEP], forgetAfterSeconds: 30 }),
    ).toEqual([]);
  });

  it.each([
    [{}, '#/cooldown', /decline, leave or both in cooldown, got neither/],
    [{ decline: [] }, '#/cooldown/decline', /at least 1/],
    [{ decline: [STEP, STEP] }, '#/cooldown/decline', /ascending order of times/],
    [{ decline: [STEP, { times: 2, seconds: 29 }] }, '#/cooldown/decline', /do not fall/],
    [{ decline: [{ times: 0, seconds: 30 }] }, '#/cooldown/decline/0/times', /from 1 up, got 0/],
    [{ decline: [{ times: COOLDOWN_LIMITS.timesMax + 1, seconds: 30 }] }, '#/cooldown/decline/0/times', /20/],
    [{ leave: [{ times: 1, seconds: 604_801 }] }, '#/cooldown/leave/0/seconds', /604800/],
    [{ leave: [{ times: 1, seconds: 1.5 }] }, '#/cooldown/leave/0/seconds', /whole number|integer/],
    [{ leave: [STEP], forgetAfterSeconds: 2_592_001 }, '#/cooldown/forgetAfterSeconds', /2592000/],
    [{ leave: [STEP], forgetAfterSeconds: 29 }, '#/cooldown', /at least the longest cooldown \(30\), got 29/],
    [{ leave: [{ times: 1, seconds: 86_401 }] }, '#/cooldown', /forgetAfterSeconds .* got 86400/],
    [{ leave: [STEP], decline: 'often' }, '#/cooldown/decline', /list/],
    [{ leave: [STEP], rage: [STEP] }, '#/cooldown/rage', /rage/],
  ])('is rejected as %j', (cooldown, pointer, detail) => {
    expect(faults(cooldown)).toEqual([{ pointer, detail: expect.stringMatching(detail) }]);
  });

  it('needs acceptance for declines, because no match can be declined without it', () => {
    expect(faults({ decline: [STEP] }, {})).toEqual([
      {
        pointer: '#/cooldown',
        detail: expect.stringMatching(/Expected acceptance beside decline of cooldown/),
      },
    ]);
  });
});
