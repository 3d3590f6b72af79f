import type * as z from 'zod';
import { check, textOf } from '../../contract/problem.ts';

/** Stored data or a message that this version of Muster cannot parse. Unlike with a `Problem`, no request is at fault. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** The record of a queue cannot be parsed, for example because a later version has stored it before a rollback. */
export class UnreadableQueue extends Unreadable {
  readonly queue: string;

  constructor(queue: string, message: string) {
    super(message);
    this.queue = queue;
  }
}

/** The result of `work`, or the error when it reads a queue that cannot be parsed. */
export async function unlessUnreadable<Result>(
  work: () => Promise<Result>,
): Promise<Result | UnreadableQueue> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnreadableQueue) return error;
    throw error;
  }
}

/**
 * The result of `read`; undefined when this version cannot parse the data.
 * @param skipped receives the error
 */
export function ifReadable<Result>(
  read: () => Result,
  skipped: (error: Unreadable) => void = () => {},
): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    skipped(error);
    return undefined;
  }
}

/** What a schema reads from the store, as the code that uses it sees it: nothing in it may be changed. */
export type Read<Schema extends z.ZodType> = Readonly<Frozen<z.output<Schema>>>;
type Frozen<T> = { readonly [Key in keyof T]: Frozen<T[Key]> };

/** The maximum length of the faults that an error lists. */
const FAULTS_LETTERS_MAX = 1_000;

/**
 * Parses data that this or another version of Muster has written. Fields unknown to the schema are ignored.
 * @param what the subject of the error message
 * @throws Unreadable
 */
export function readWith<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const result = check(schema, value);
  if (result.problems === undefined) return result.data;
  const faults = textOf(result.problems, FAULTS_LETTERS_MAX);
  throw new Unreadable(`${what} cannot be read by this version of Muster: ${faults}`);
}
