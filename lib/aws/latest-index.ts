import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { StoredMatch } from '../service/domain/stored-match.ts';
import { ifReadable } from '../service/domain/unreadable.ts';
import type { LatestMatches } from '../service/ports/latest-matches.ts';
import { allWithAnswers } from './answers.ts';
import { BATCH_GET_MAX, batchGet } from './batch-get.ts';
import { journalItem } from './journals.ts';
import { type LatestKey, latestKeys } from './latest-group.ts';
import { isAbandoned, toMatch } from './match-item.ts';

/** The number of pages that are read together. A page names the matches that a tick forms at the same time. */
const PAGES_AT_ONCE = 10;
/** The maximum of pages that are read. Only pages of abandoned matches name no existing match. */
const PAGES_MAX = 200;

/**
 * Finds the latest matches in the journals of the ticks. A tick writes its matches there just before it creates them. So a match
 * costs at most one write, and less when its tick forms several. Abandoned matches are in a journal too, and are omitted.
 *
 * Reads 8 pages of the index, the newest pages of journals until they name enough matches, and these matches.
 */
export function latestMatches(
  client: DynamoDBDocumentClient,
  tables: { readonly matches: string; readonly ranges: string },
): LatestMatches {
  /** The ids of the matches of some pages, the newest first. */
  const idsOf = async (pages: readonly LatestKey[]): Promise<string[]> => {
    const keys = pages.map(({ item }) => ({ item }));
    const found = new Map((await batchGet(client, tables.ranges, keys)).map((page) => [page.item, page]));
    return pages.flatMap(({ item }) => {
      const matches = journalItem.safeParse(found.get(item)).data?.matches ?? [];
      return matches.map(({ matchId }) => matchId).reverse();
    });
  };

  /** The first matches of a list of ids that exist, slightly more than `limit` or all. */
  const existingOf = async (ids: readonly string[], limit: number): Promise<StoredMatch[]> => {
    const found: StoredMatch[] = [];
    for (let at = 0; at < ids.length && found.length < limit; at += BATCH_GET_MAX) {
      const keys = ids.slice(at, at + BATCH_GET_MAX).map((matchId) => ({ matchId }));
      const read = (await batchGet(client, tables.matches, keys)).flatMap(readableMatch);
      found.push(...(await allWithAnswers(client, tables.matches, read)));
    }
    return found;
  };

  return {
    async of(queue, limit) {
      const pages = await latestKeys(client, tables.ranges, queue, Math.min(2 * limit, PAGES_MAX));
      const found: StoredMatch[] = [];
      for (let at = 0; at < Math.min(pages.length, PAGES_MAX) && found.length < limit; at += PAGES_AT_ONCE) {
        const ids = await idsOf(pages.slice(at, at + PAGES_AT_ONCE));
        found.push(...(await existingOf(ids, limit - found.length)));
      }
      return found.sort(byAge).slice(0, limit);
    },
  };
}

/** The newest first; matches of the same time by id. */
function byAge(a: StoredMatch, b: StoredMatch): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return a.matchId < b.matchId ? -1 : 1;
}

/** The match of an item, unless it was abandoned or this version of Muster cannot parse it. */
function readableMatch(item: Record<string, unknown>): StoredMatch[] {
  return isAbandoned(item) ? [] : (ifReadable(() => [toMatch(item)]) ?? []);
}
