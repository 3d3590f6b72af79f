import { crc32 } from 'node:zlib';

/**
 * The number of partition keys of a queue in the index `latest`. A page of a journal writes one unit to it. A tick writes a
 * few pages a second and a queue has at most 256 ranges, so each key stays below the 1,000 writes a second of DynamoDB.
 */
const GROUPS = 8;

/**
 * The partition key of a journal's page in the index `latest`.
 *
 * The index has the key `latestGroup`, `writtenAtMs` and holds keys only. It lists the pages of a queue's journals, and so the
 * matches that its ticks have formed, at the price of one write for all matches of a page.
 */
export function latestGroup(queue: string, owner: string): string {
  return groupOf(queue, crc32(owner) % GROUPS);
}

/** All partition keys of a queue in the index `latest`. */
export function latestGroups(queue: string): string[] {
  return Array.from({ length: GROUPS }, (_, group) => groupOf(queue, group));
}

function groupOf(queue: string, group: number): string {
  return `${queue}#${group}`;
}
