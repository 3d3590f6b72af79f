import { describe, expect, it } from 'vitest';
import { ErrorLines } from '../../lib/cli/error-lines.ts';

const entry = (fields: object) => JSON.stringify({ level: 'ERROR', service: 'notify', ...fields });

describe('an error that a function logs', () => {
  it('is a line with its queue, its webhook and its cause', () => {
    const failing = {
      message: 'a webhook fails',
      queue: 'arena',
      webhook: 'http://127.0.0.1:1/',
      failures: 1,
    };
    expect(new ErrorLines().of('notify', entry({ ...failing, why: 'ECONNREFUSED' }))).toBe(
      'notify: a webhook fails (queue arena, webhook http://127.0.0.1:1/, failures 1): ECONNREFUSED',
    );
  });

  it('has the message of its error', () => {
    const error = { name: 'TypeError', message: 'x is not a function' };
    expect(new ErrorLines().of('tick', entry({ message: 'a request failed', error }))).toBe(
      'tick: a request failed: x is not a function',
    );
  });

  it('is printed once in half a minute', () => {
    const lines = new ErrorLines();
    const failing = entry({ message: 'a webhook fails', queue: 'arena' });
    expect(lines.of('notify', failing, 0)).toBeDefined();
    expect(lines.of('notify', failing, 29_000)).toBeUndefined();
    expect(lines.of('notify', entry({ message: 'a webhook fails', queue: 'duel' }), 29_000)).toBeDefined();
    expect(lines.of('notify', failing, 30_000)).toBeDefined();
  });

  it('is not taken from other lines', () => {
    const lines = new ErrorLines();
    for (const line of ['', 'an "ERROR" in a text', entry({ level: 'WARN', message: '"ERROR"' })])
      expect(lines.of('notify', line)).toBeUndefined();
  });
});
