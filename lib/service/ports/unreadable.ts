import type * as z from 'zod';
import { check } from '../../contract/problem.ts';

/**
 * Stored data or a message that this version of Muster cannot parse. Unlike a `Problem`, no request is at fault.
 */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/**
 * Parses data that this or another version of Muster has written. Fields unknown to the schema are ignored.
 * @param what names it in the error
 * @throws Unreadable
 */
export function readWith<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const result = check(schema, value);
  if (result.problems === undefined) return result.data;
  const faults = result.problems.map(({ pointer, detail }) => `${pointer}: ${detail}`);
  throw new Unreadable(`${what} cannot be read by this version of Muster: ${faults.join('; ')}`);
}
