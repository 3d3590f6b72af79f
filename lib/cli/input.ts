import { InvalidArgumentError } from 'commander';
import { checkQueueDefinition, type QueueDefinition } from '../contract/queue-definition.ts';
import type { Ticket } from '../engine/types.ts';
import { parseTicketsFile } from '../service/tickets/read-tickets.ts';
import { readJson } from './json-file.ts';

/** @throws InvalidInput | Problem that names the file and the fields at fault */
export function readQueueFile(path: string): QueueDefinition {
  return checkQueueDefinition(readJson(path), path);
}

/** @throws InvalidInput | Problem that names the file and the fields at fault */
export function readTicketsFile(path: string, definition: QueueDefinition): Ticket[] {
  return parseTicketsFile(readJson(path), definition, path);
}

/** A time as an option: ISO 8601 with its offset, as milliseconds since the epoch. */
export function isoTime(value: string): number {
  const ms = Date.parse(value);
  if (Number.isNaN(ms) || !/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/.test(value)) {
    throw new InvalidArgumentError(
      `Expected ISO 8601 with an offset, such as 2026-01-31T12:00:00Z, got ${value}.`,
    );
  }
  return ms;
}

/** A number above zero as an option. */
export function positiveNumber(value: string): number {
  const number = Number(value);
  if (!Number.isFinite(number) || number <= 0) {
    throw new InvalidArgumentError(`Expected a number above 0, got ${value}.`);
  }
  return number;
}

/** A whole number as an option. */
export function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new InvalidArgumentError(`Expected a whole number, got ${value}.`);
  return number;
}

/** Writes a result to standard output, all of it before the process may end. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
