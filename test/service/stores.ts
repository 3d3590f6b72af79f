import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { backfillStore } from '../../lib/aws/backfill-store.ts';
import { cooldownStore } from '../../lib/aws/cooldown-store.ts';
import { deliveryStore } from '../../lib/aws/delivery-store.ts';
import { experimentStore } from '../../lib/aws/experiment-store.ts';
import { ladderStore } from '../../lib/aws/ladder-store.ts';
import { matchStore } from '../../lib/aws/match-store.ts';
import { meetingStore } from '../../lib/aws/meeting-store.ts';
import { outcomeStore } from '../../lib/aws/outcome-store.ts';
import type { ParsedTickets } from '../../lib/aws/parsed-tickets.ts';
import { presenceStore } from '../../lib/aws/presence-store.ts';
import { queueStore } from '../../lib/aws/queue-store.ts';
import { rangeStore } from '../../lib/aws/range-store.ts';
import { ratingStore } from '../../lib/aws/rating-store.ts';
import { receiverStore } from '../../lib/aws/receiver-store.ts';
import { ticketStore } from '../../lib/aws/ticket-store.ts';
import type { EmulatedTables } from '../aws/emulated-tables.ts';

/** The stores of the use cases on the tables of a deployment, none of them cached. */
export function storesOf(
  client: DynamoDBDocumentClient,
  names: EmulatedTables['names'],
  parsed?: ParsedTickets,
) {
  return {
    tickets: ticketStore(client, names, parsed),
    matches: matchStore(client, names),
    backfills: backfillStore(client, names),
    queues: queueStore(client, names.queues),
    ladders: ladderStore(client, names.queues),
    ratings: ratingStore(client, names),
    ranges: rangeStore(client, names.ranges),
    meetings: meetingStore(client, names.ranges),
    cooldowns: cooldownStore(client, names.ranges),
    presence: presenceStore(client, names.ranges),
    outcomes: outcomeStore(client, names.ranges),
    experiments: experimentStore(client, names.ranges),
    receivers: receiverStore(client, names.receivers),
    deliveryRecords: deliveryStore(client, names.receivers),
  };
}
