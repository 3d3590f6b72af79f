import { crc32 } from 'node:zlib';

/**
 * The number of partition keys of a list in the index `latest`. A page of a journal writes one unit to it. A tick writes a
 * few pages a second and a queue has at most 256 ranges, so each key stays below the 1,000 writes a second of DynamoDB.
 */
const GROUPS = 8;

/** The lists of a queue in the index: the pages of its journals, and the players with an offence. */
type List = 'journals' | 'cooldowns';

/**
 * The partition key of an item in the index `latest`.
 *
 * The index has the key `latestGroup`, `writtenAtMs` and holds keys only. It lists the pages of a queue's journals, and so the
 * matches of its ticks, for one write per page. It also lists the players of a queue with an offence, by the time of the last
 * one.
 * @param owner spreads the items of a list over its keys
 */
export function latestGroup(queue: string, owner: string, list: List = 'journals'): string {
  return groupOf(queue, crc32(owner) % GROUPS, list);
}

/** All partition keys of a list in the index `latest`. */
export function latestGroups(queue: string, list: List = 'journals'): string[] {
  return Array.from({ length: GROUPS }, (_, group) => groupOf(queue, group, list));
}

/** The name of a queue contains no #. */
function groupOf(queue: string, group: number, list: List): string {
  return list === 'journals' ? `${queue}#${group}` : `${queue}#${list}#${group}`;
}
