import * as z from 'zod';
import { invalid, Problem } from '../contract/problem.ts';
import { checkQueueDefinition } from '../contract/queue-definition.ts';
import { ABOVE_0 } from '../simulation/option-values.ts';
import { eachOnce } from '../vocabulary/expected.ts';
import { type ImportLine, Report } from './report.ts';

/** The options of imports, for the command line. An option without a kind of number is text. */
export const IMPORT_OPTIONS = {
  pool: { flags: '--pool <name>', description: 'the pool (default: the default pool)' },
  skill: { flags: '--skill <name>', description: 'the number attribute of players that becomes their skill' },
  skillOffset: {
    flags: '--skill-offset <number>',
    description: 'is added to every skill, because a skill is not negative',
    number: { expected: 'a number', holds: Number.isFinite },
  },
  timeout: {
    flags: '--timeout <seconds>',
    description: 'requestTimeoutSeconds of FlexMatch, GiveUpAfterSeconds of PlayFab',
    number: ABOVE_0,
  },
};

/** What the user decides about an import. An importer names the options that it has; all have `name`, that of the queue. */
export type ImportOptions = {
  readonly [Name in 'name' | keyof typeof IMPORT_OPTIONS]?:
    | (Name extends 'skillOffset' | 'timeout' ? number : string)
    | undefined;
};

/** A queue definition; not checked yet. */
export type Definition = Readonly<Record<string, unknown>>;

/** Another matchmaker whose files are converted. */
export interface Importer<S extends object> {
  /** The title of the matchmaker's rules in the help, such as "a FlexMatch rule set". */
  readonly title: string;
  /** What the help says of the file. */
  readonly file: string;
  readonly options: readonly (keyof typeof IMPORT_OPTIONS)[];
  /** The file with what is read of it recorded. @param path names it in errors @throws Problem */
  read(json: unknown, path: string): S;
  /** Converts it as far as Muster can express it, and reports each property. @throws InvalidInput when the options do not fit */
  translate(source: S, options: ImportOptions, report: Report): Definition;
  /** Tickets of the other matchmaker in the form of `muster match`, not checked yet. @throws Problem */
  ticketsOf?(json: unknown, path: string, source: S, options: ImportOptions, nowMs: number): object[];
}

export interface Imported<S> {
  readonly definition: Definition;
  readonly lines: readonly ImportLine[];
  readonly source: S;
}

/**
 * Imports a file. The report has a line for all that the import does not read of it, and for each fault of the definition.
 *
 * @throws Problem when the file is invalid
 * @throws InvalidInput when the options do not fit the file
 */
export function imported<S extends object>(
  importer: Importer<S>,
  json: unknown,
  path: string,
  options: ImportOptions = {},
): Imported<S> {
  const source = importer.read(json, path);
  const report = new Report();
  const definition = importer.translate(source, options, report);
  report.unread(source);
  for (const { pointer, detail } of faultsOf(definition))
    report.impossible(`the definition's ${pointer}`, detail);
  return { definition, lines: report.lines, source };
}

/** The faults of the definition, such as more seats than a match can have. */
function faultsOf(definition: Definition): Problem['errors'] {
  try {
    checkQueueDefinition(definition, 'The definition');
    return [];
  } catch (error) {
    if (error instanceof Problem) return error.errors;
    throw error;
  }
}

/** @throws Problem when the file has a list of what an import takes one of @param keys the lists that files have, in small letters */
export function refuseLists(json: unknown, path: string, what: string, keys: readonly string[]): void {
  if (typeof json !== 'object' || json === null) return;
  const key = Array.isArray(json)
    ? undefined
    : Object.keys(json).find((one) => keys.includes(one.toLowerCase()));
  if (!Array.isArray(json) && key === undefined) return;
  const detail = `Expected ${what}, got a list: write one of them to a file of its own`;
  throw invalid(path, [{ pointer: key === undefined ? '#' : `#/${key}`, detail }]);
}

/** Checks that the least of two sizes is at most the greatest. @param least, most their keys */
export function inOrder<Least extends string, Most extends string>(least: Least, most: Most) {
  return (sizes: Readonly<Record<Least | Most, number>>, context: z.RefinementCtx): void => {
    if (sizes[least] <= sizes[most]) return;
    const message = `Expected at most ${most} (${sizes[most]}), got ${sizes[least]}`;
    context.addIssue({ code: 'custom', path: [least], message });
  };
}

/** A list whose items differ in a key, such as a name by which they are known. */
export function distinct<T extends z.ZodType<Readonly<Record<K, unknown>>>, K extends string>(
  item: T,
  key: K,
) {
  const namedIn = (items: readonly z.output<T>[]) => items.map((one) => one[key]);
  return z.array(item).superRefine(eachOnce(key, namedIn, (at) => [at, key]));
}
