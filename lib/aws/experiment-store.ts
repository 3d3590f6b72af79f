import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { type BlockTotals, noTotals } from '../experiments/block-totals.ts';
import type { ExperimentStore } from '../service/ports/experiment-store.ts';
import { bestEffort } from './best-effort.ts';
import { secondsAfter } from './dynamo.ts';
import { itemTable } from './item-table.ts';

/** Days that totals are kept after their last update: longer than an experiment and its evaluation. */
const TOTALS_DAYS = 120;
/** DynamoDB's numbers have at most 38 digits, so added numbers are rounded to this many. */
const DIGITS = 9;
const SUMS = ['matched', 'cancelled', 'timedOut', 'waitSeconds', 'imbalance'] as const;
const BIN = 'bin';
/** The bin of the shortest waits is −1, and names of attributes have no minus here. */
const BIN_OFFSET = 1;

/**
 * Totals in DynamoDB: an item of the ranges table for each block, with an attribute for each sum and each bin of waits. Waits of
 * up to a day have 234 bins, so an item has at most 4 KB, and so has the expression that adds to all of them at once.
 */
export function experimentStore(client: DynamoDBDocumentClient, table: string): ExperimentStore {
  const items = itemTable(client, table, keyOf);
  return {
    async add({ queue, startMs }, block, totals, nowMs) {
      const set = { expiresAt: secondsAfter(nowMs, TOTALS_DAYS) };
      await bestEffort(items.change([queue, startMs, block], { set, add: toAttributes(totals) }));
    },

    async totals({ queue, startMs }, blocks) {
      const numbers = new Map(blocks.map((block) => [keyOf(queue, startMs, block).item, block]));
      const found = await items.all(blocks.map((block) => [queue, startMs, block]));
      return new Map(found.map((item) => [numbers.get(item.item as string)!, toTotals(item)]));
    },
  };
}

const keyOf = (queue: string, startMs: number, block: number) => ({
  item: `${queue}#experiment#${startMs}#${block}`,
});

function toAttributes(totals: BlockTotals): Record<string, number> {
  const attributes: Record<string, number> = {};
  for (const name of SUMS)
    if (totals[name] !== 0) attributes[name] = Number(totals[name].toPrecision(DIGITS));
  for (const [bin, players] of Object.entries(totals.waits))
    attributes[`${BIN}${Number(bin) + BIN_OFFSET}`] = players;
  return attributes;
}

function toTotals(item: Record<string, unknown>): BlockTotals {
  const totals: BlockTotals = { ...noTotals(), ...sums.parse(item) };
  for (const [name, players] of Object.entries(item))
    if (name.startsWith(BIN)) totals.waits[Number(name.slice(BIN.length)) - BIN_OFFSET] = Number(players);
  return totals;
}

const sum = z.number().default(0);
const sums = z.object({ matched: sum, cancelled: sum, timedOut: sum, waitSeconds: sum, imbalance: sum });
