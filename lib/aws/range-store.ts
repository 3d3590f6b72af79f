import { DeleteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { tickMemory } from '../policies/memory.ts';
import { inParallel } from '../service/concurrency/in-parallel.ts';
import { tickReport } from '../service/domain/tick-report.ts';
import type { RangeStore } from '../service/ports/range-store.ts';
import { secondsAfter } from './dynamo.ts';
import { deflatedJson, deflatedJsonOf, jsonOf } from './item.ts';
import { itemTable } from './item-table.ts';
import { journals } from './journals.ts';
import { leaseKey, leases } from './leases.ts';

/** Days that a report is kept after its last tick. It is useful only while the range is searched. */
const REPORT_DAYS = 1;
/** The maximum of items that are deleted concurrently. */
const DELETES_AT_ONCE = 32;

/**
 * Leases and reports in DynamoDB. Key: `item`, which contains the queue and the cell or range. Each has its own partition key, so
 * the cost does not depend on their number.
 *
 *     takeLease                        the last slot of each cell is before this one, and its lease was ended, or has expired and
 *                                      the matches of its owner are settled. The caller must know of failures of earlier ticks.
 *                                      It also succeeds if the caller already holds the lease, because the request is repeated
 *                                      when its response is lost
 *     endLease                         each cell whose lease the owner still holds
 *     close                            each cell whose lease is still the one that was read
 *     putJournal, journalUntilClosed   if there is no such page
 *     putReport                        if the stored report is older
 *     putArrivals                      always; of two concurrent writes either is correct
 *
 * The pages of journals are also in the index `latest`: see `latest-group.ts`.
 */
export function rangeStore(client: DynamoDBDocumentClient, table: string): RangeStore {
  return {
    ...leases(client, table),
    ...journals(client, table),
    ...reports(client, table),

    async remove(queue, cells, ranges) {
      const keys = [
        ...cells.map((cell) => leaseKey(queue, cell)),
        ...ranges.map((range) => reportKey(queue, range)),
      ];
      await inParallel(keys, DELETES_AT_ONCE, (Key) =>
        client.send(new DeleteCommand({ TableName: table, Key })),
      );
    },
  };
}

const reportKey = (queue: string, range: string) => ({ item: `${queue}#report#${range}` });
const arrivalsKey = (queue: string) => ({ item: `${queue}#arrivals` });

type Reports = Pick<RangeStore, 'putReport' | 'reports' | 'putArrivals' | 'arrivals'>;

function reports(client: DynamoDBDocumentClient, table: string): Reports {
  const items = itemTable(client, table, reportKey);
  const ofQueue = itemTable(client, table, arrivalsKey);
  return {
    async putReport(queue, range, report, nowMs) {
      const { slotMs } = report;
      const isLater = {
        condition: 'attribute_not_exists(slotMs) OR slotMs < :slotMs',
        values: { ':slotMs': slotMs },
      };
      const set = { report: deflatedJson(report), slotMs, expiresAt: secondsAfter(nowMs, REPORT_DAYS) };
      await items.change([queue, range], { set, if: [isLater] });
    },

    reports: (queue, ranges) =>
      items.byId(
        ranges,
        (range) => [queue, range],
        (item) => reportItem.safeParse(item).data?.report,
      ),

    async putArrivals(queue, arrivals, nowMs) {
      const set = { arrivals: JSON.stringify(arrivals), expiresAt: secondsAfter(nowMs, REPORT_DAYS) };
      await ofQueue.change([queue], { set });
    },

    async arrivals(queue) {
      return arrivalsItem.safeParse(await ofQueue.get([queue], 'eventual')).data?.arrivals;
    },
  };
}

const arrivalsItem = z.object({ arrivals: jsonOf(tickMemory) });
const reportItem = z.object({ report: deflatedJsonOf(tickReport) });
