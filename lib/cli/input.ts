import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import * as z from 'zod';
import { type LadderDefinition, ladderDefinition } from '../contract/ladder.ts';
import { invalid, Problem, parseWith } from '../contract/problem.ts';
import { checkQueueDefinition, type QueueDefinition } from '../contract/queue-definition.ts';
import type { Ticket } from '../engine/types.ts';
import { parseTicketsFile } from '../service/tickets/parse-tickets.ts';
import { latestArrivalMs } from '../service/ticks/offline.ts';
import { ABOVE_0, type NumberKind, numberOf, whole } from '../simulation/option-values.ts';
import { ticketsOfCsv } from './csv-tickets.ts';
import { InvalidInput } from './failure.ts';
import { readJson, readText, reasonOf } from './json-file.ts';

/** What the action of a command gets, from the function that adds its options. */
export type OptionsOf<Adds extends (command: never) => { opts(): unknown }> = ReturnType<
  ReturnType<Adds>['opts']
>;

/** @throws InvalidInput | Problem that names the file and the invalid fields */
export function readQueueFile(path: string): QueueDefinition {
  return checkQueueDefinition(readJson(path), path);
}

/** The paths of the JSON files of a folder, by name. @throws InvalidInput */
export function jsonFilesOf(dir: string): string[] {
  try {
    const names = readdirSync(dir).filter((name) => name.endsWith('.json'));
    return names.sort().map((name) => join(dir, name));
  } catch (error) {
    throw new InvalidInput(`cannot read ${dir}: ${reasonOf(error)}`);
  }
}

/** @throws InvalidInput | Problem that names the file and the invalid fields */
export function readLadderFile(path: string): LadderDefinition {
  return parseWith(ladderDefinition, readJson(path), path);
}

/** A line of a file, with its place in errors. */
export interface Line {
  readonly text: string;
  readonly source: string;
}

/** The lines of a text that are not empty. @param path of its file */
export function linesOf(text: string, path: string): Line[] {
  return text
    .split('\n')
    .map((line, at) => ({ text: line.trim(), source: `${path}:${at + 1}` }))
    .filter((line) => line.text !== '');
}

/** What a line of JSON says. @throws InvalidInput | Problem that names the line and the invalid fields */
export function parseLine<T extends z.ZodType>(schema: T, { text, source }: Line): z.output<T> {
  try {
    return parseWith(schema, JSON.parse(text), source);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new InvalidInput(`${source}: invalid JSON: ${error.message}`);
  }
}

/** @throws InvalidInput | Problem that names the file and the invalid fields */
export function readTicketsFile(path: string, definition: QueueDefinition): Ticket[] {
  if (!path.toLowerCase().endsWith('.csv')) return parseTicketsFile(readJson(path), definition, path);
  const { tickets, placeOf } = ticketsOfCsv(readText(path), definition, path);
  try {
    return parseTicketsFile(tickets, definition, path);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw invalid(
      path,
      error.errors.map(({ pointer, detail }) => ({ pointer: placeOf(pointer), detail })),
    );
  }
}

/** Parses a time option: ISO 8601 with an offset. Returns milliseconds since the epoch. */
export function isoTime(value: string): number {
  if (z.iso.datetime({ offset: true }).safeParse(value).success) return Date.parse(value);
  throw new InvalidArgumentError(
    `Expected ISO 8601 with an offset, such as 2026-01-31T12:00:00Z, got ${value}.`,
  );
}

/**
 * The time of an offline search: `--now`, or when the last ticket was enqueued.
 * @throws InvalidInput when `--now` is earlier than that: tickets of the future would be matched
 */
export function searchTimeMs(now: number | undefined, tickets: readonly Ticket[]): number {
  const latestMs = latestArrivalMs(tickets);
  if (now === undefined || now >= latestMs) return now ?? latestMs;
  const [least, got] = [latestMs, now].map((ms) => new Date(ms).toISOString());
  throw new InvalidInput(`--now: Expected ${least}, when the last ticket was enqueued, or later, got ${got}`);
}

/** Parses an option that is a number above 0. */
export const positiveNumber = numberArgument(ABOVE_0);

/** A parser of an option that is a whole number. */
export const wholeNumber = (least?: number) => numberArgument(whole(least));

/** A parser of an option that is a number of this kind. */
export function numberArgument(kind: NumberKind): (value: string) => number {
  return (value) => {
    const number = numberOf(value, kind);
    if (number === undefined) throw new InvalidArgumentError(`Expected ${kind.expected}, got ${value}.`);
    return number;
  };
}

/** Writes a result to standard output. The write is synchronous, so the process cannot end before it is complete. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
