import { InvalidArgumentError } from 'commander';
import { checkQueueDefinition, type QueueDefinition } from '../contract/queue-definition.ts';
import type { Ticket } from '../engine/types.ts';
import type { Backfill } from '../policies/plan.ts';
import { parseBackfillsFile } from '../service/backfills/parse-backfills.ts';
import { parseTicketsFile } from '../service/tickets/parse-tickets.ts';
import { latestArrivalMs } from '../service/ticks/offline.ts';
import { ticketsOfCsv } from './csv-tickets.ts';
import { InvalidInput } from './failure.ts';
import { readJson, readText } from './json-file.ts';

/** @throws InvalidInput | Problem that names the file and the invalid fields */
export function readQueueFile(path: string): QueueDefinition {
  return checkQueueDefinition(readJson(path), path);
}

/** @throws InvalidInput | Problem that names the file and the invalid fields */
export function readTicketsFile(path: string, definition: QueueDefinition): Ticket[] {
  const isCsv = path.toLowerCase().endsWith('.csv');
  const tickets = isCsv ? ticketsOfCsv(readText(path), definition, path) : readJson(path);
  return parseTicketsFile(tickets, definition, path);
}

/** @throws InvalidInput | Problem that names the file and the invalid fields */
export function readBackfillsFile(path: string, definition: QueueDefinition): Backfill[] {
  return parseBackfillsFile(readJson(path), definition, path);
}

/** Parses a time option: ISO 8601 with an offset. Returns milliseconds since the epoch. */
export function isoTime(value: string): number {
  const ms = Date.parse(value);
  if (Number.isNaN(ms) || !/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/.test(value)) {
    throw new InvalidArgumentError(
      `Expected ISO 8601 with an offset, such as 2026-01-31T12:00:00Z, got ${value}.`,
    );
  }
  return ms;
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
export function positiveNumber(value: string): number {
  const number = Number(value);
  if (!Number.isFinite(number) || number <= 0) {
    throw new InvalidArgumentError(`Expected a number above 0, got ${value}.`);
  }
  return number;
}

/** A parser of an option that is a whole number. */
export function wholeNumber(least = Number.MIN_SAFE_INTEGER): (value: string) => number {
  const range = least === Number.MIN_SAFE_INTEGER ? '' : ` from ${least} up`;
  return (value) => {
    const number = Number(value);
    if (value.trim() !== '' && Number.isSafeInteger(number) && number >= least) return number;
    throw new InvalidArgumentError(`Expected a whole number${range}, got ${value}.`);
  };
}

/** Writes a result to standard output. The write is synchronous, so the process cannot end before it is complete. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
