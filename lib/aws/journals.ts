import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { readWith } from '../service/domain/unreadable.ts';
import type { FormingMatch } from '../service/ports/match-store.ts';
import type { RangeStore } from '../service/ports/range-store.ts';
import { packId, unpackId } from './compact-id.ts';
import { secondsAfter } from './dynamo.ts';
import { jsonOf } from './item.ts';
import { itemTable } from './item-table.ts';
import { latestGroup } from './latest-group.ts';

/** Days that a journal is kept: as long as the matches that it lists. */
const JOURNAL_DAYS = 7;

type Journals = Pick<RangeStore, 'putJournal' | 'journalUntilClosed'>;

/** The pages of journals in the table of ranges. Key: `QUEUE#journal#TICK#PAGE`. They are also in the index `latest`. */
export function journals(client: DynamoDBDocumentClient, table: string): Journals {
  const pages = itemTable(client, table, (queue: string, owner: string, page: number) => ({
    item: `${queue}#journal#${owner}#${page}`,
  }));
  /** Stores a page if there is none. A repetition of the request finds its own page. */
  const putPage = (queue: string, owner: string, page: number, matches: string, nowMs: number) => {
    // A page without matches closes the journal.
    const isListed = matches !== CLOSED_PAGE;
    const set = {
      matches,
      expiresAt: secondsAfter(nowMs, JOURNAL_DAYS),
      ...(isListed && { latestGroup: latestGroup(queue, owner), writtenAtMs: nowMs }),
    };
    const isFirst = {
      condition: 'attribute_not_exists(matches) OR matches = :matches',
      values: { ':matches': matches },
    };
    return pages.change([queue, owner, page], { set, if: [isFirst] }, 'found');
  };

  return {
    async putJournal(queue, owner, page, matches, nowMs) {
      const write = await putPage(queue, owner, page, packMatches(matches), nowMs);
      return write.met ? 'stored' : 'closed';
    },

    async journalUntilClosed(queue, owner, page, nowMs) {
      const write = await putPage(queue, owner, page, CLOSED_PAGE, nowMs);
      if (write.met) return 'closed';
      return readWith(journalItem, write.item, `page ${page} of the journal of tick ${owner}`).matches;
    },
  };
}

/** Matches of a journal as JSON: `[matchId, ticketId, ticketId, …]` for each, with packed ids. */
function packMatches(matches: readonly FormingMatch[]): string {
  return JSON.stringify(matches.map(({ matchId, ticketIds }) => [matchId, ...ticketIds].map(packId)));
}

/** The page after the last one of a closed journal. */
const CLOSED_PAGE = packMatches([]);

/** A page of a journal. */
export const journalItem = z.object({
  matches: jsonOf(z.array(z.array(z.string()).min(1))).transform((matches) =>
    matches.map((packed): FormingMatch => {
      const [matchId, ...ticketIds] = packed.map(unpackId);
      return { matchId: matchId!, ticketIds };
    }),
  ),
});
