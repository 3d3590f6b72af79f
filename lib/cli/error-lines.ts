import { Throttle } from '../aws/throttle.ts';

/** The same error is printed once in this time. */
const REPEAT_MS = 30_000;
/** Fields of a log entry that say what it is about, in this order. */
const ABOUT = ['queue', 'webhook', 'step', 'failed', 'decided', 'failures', 'consumer'] as const;

/** Turns the errors that functions log into lines for people. */
export class ErrorLines {
  readonly #printed = new Throttle(REPEAT_MS);

  /** The line to print for a log line of a function; undefined when it is no error, or was printed lately. */
  of(source: string, line: string, nowMs = Date.now()): string | undefined {
    const entry = errorOf(line);
    if (entry === undefined) return undefined;
    const about = ABOUT.flatMap((name) => (entry[name] === undefined ? [] : `${name} ${entry[name]}`));
    const key = [source, entry.message, entry.queue, entry.webhook].join(' ');
    if (!this.#printed.isDue(key, nowMs)) return undefined;
    const why = entry.why ?? (entry.error as { message?: string } | undefined)?.message;
    const details = about.length === 0 ? '' : ` (${about.join(', ')})`;
    return `${source}: ${entry.message}${details}${why === undefined ? '' : `: ${why}`}`;
  }
}

function errorOf(line: string): Record<string, unknown> | undefined {
  if (!line.includes('"ERROR"')) return undefined;
  try {
    const entry = JSON.parse(line);
    return entry.level === 'ERROR' ? entry : undefined;
  } catch {
    return undefined;
  }
}
