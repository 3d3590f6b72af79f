import {
  type Attribute,
  AttributeType,
  Billing,
  type GlobalSecondaryIndexPropsV2,
  ProjectionType,
  StreamViewType,
  type TablePropsV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import type { MusterFunction } from './muster-function.ts';
import type { StagePolicy } from './stage-policy.ts';

/** The tables with all state: tickets and their entries in further queues, matches, queues with their definitions, ranges of ticks, webhook receivers, and ratings. */
export class Store extends Construct {
  /** Tickets by `ticketId`. Waiting tickets are also in the sparse index `pool`. */
  readonly tickets: StoreTable;
  /** Entries of tickets that wait in several queues, by the pool keys of their queues. */
  readonly entries: StoreTable;
  /** Matches by `matchId`. Matches with a deadline are also in the sparse index `deadlines`. */
  readonly matches: StoreTable;
  /** Queues with their definitions. */
  readonly queues: StoreTable;
  /**
   * The shared state of ticks: leases, journals, reports and arrivals, and the meetings of players. An item for each. Journals
   * are also in the index `latest`.
   */
  readonly ranges: StoreTable;
  /** Webhook receivers that are slow or down. */
  readonly receivers: StoreTable;
  /** The ratings of players by `playerId` and `ladder`, and the learned odds of each ladder. */
  readonly ratings: StoreTable;

  constructor(scope: Construct, id: string, props: { readonly stage: StagePolicy }) {
    super(scope, id);
    const { stage } = props;
    const table = (name: string, of: TablePropsV2) => new StoreTable(this, name, stage, of);
    this.tickets = table('Tickets', {
      partitionKey: text('ticketId'),
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      globalSecondaryIndexes: [
        {
          indexName: 'pool',
          partitionKey: text('pool'),
          sortKey: text('poolOrder'),
          projectionType: ProjectionType.INCLUDE,
          nonKeyAttributes: ['enqueuedAt', 'players', 'linked'],
        },
      ],
    });
    this.entries = table('Entries', { partitionKey: text('pool'), sortKey: text('poolOrder') });
    this.matches = table('Matches', {
      partitionKey: text('matchId'),
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      globalSecondaryIndexes: [keysOnly('deadlines', 'deadlineGroup', text('deadline'))],
    });
    this.queues = table('Queues', {
      partitionKey: text('queue'),
      sortKey: text('item'),
      // Lists the definitions. It is keys-only, so changing an existing item costs no write here.
      globalSecondaryIndexes: [keysOnly('items', 'item', text('queue'))],
    });
    const writtenAtMs = { name: 'writtenAtMs', type: AttributeType.NUMBER };
    this.ranges = table('Ranges', {
      partitionKey: text('item'),
      // Lists the latest journals of a queue, which name its latest matches.
      globalSecondaryIndexes: [keysOnly('latest', 'latestGroup', writtenAtMs)],
    });
    this.receivers = table('Receivers', { partitionKey: text('receiver') });
    this.ratings = table('Ratings', { partitionKey: text('playerId'), sortKey: text('ladder') });
  }

  /** Lets a function read the tickets and entries of pools. */
  allowPoolReads(fn: MusterFunction): void {
    this.tickets.allowIndexQuery(fn, 'pool');
    this.entries.allow(fn, 'Query');
  }

  /** What it takes to cancel tickets, and to accept or decline their matches. */
  allowTicketChanges(fn: MusterFunction): void {
    this.tickets.allow(fn, 'GetItem', 'BatchGetItem', 'UpdateItem');
    this.entries.allow(fn, 'PutItem', 'DeleteItem');
    this.matches.allow(fn, 'GetItem', 'UpdateItem');
    this.queues.allow(fn, 'GetItem', 'UpdateItem');
    // For the cooldowns of players who decline, and the presence of players.
    this.ranges.allow(fn, 'BatchGetItem', 'GetItem', 'UpdateItem');
  }
}

/** An action on the items of a table. A transaction needs the permission for each action in it. */
export type ItemAction =
  | 'BatchGetItem'
  | 'DeleteItem'
  | 'GetItem'
  | 'PutItem'
  | 'Query'
  | 'Scan'
  | 'UpdateItem';

/** A key that is text. */
export const text = (name: string): Attribute => ({ name, type: AttributeType.STRING });

/** An index that has only the keys of the items. */
function keysOnly(indexName: string, group: string, sortKey: Attribute): GlobalSecondaryIndexPropsV2 {
  return { indexName, partitionKey: text(group), sortKey, projectionType: ProjectionType.KEYS_ONLY };
}

/** A table with on-demand billing and point-in-time recovery, whose items expire at their `expiresAt`. */
export class StoreTable extends TableV2 {
  /** The names of its indexes. */
  readonly indexNames: readonly string[];
  /** The environment variable with the table's name, such as `TICKETS_TABLE`. */
  readonly #variable: string;

  constructor(scope: Construct, id: string, stage: StagePolicy, props: TablePropsV2) {
    super(scope, id, {
      ...props,
      billing: Billing.onDemand(),
      timeToLiveAttribute: 'expiresAt',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: stage.removalPolicy,
      deletionProtection: stage.deletionProtection,
    });
    this.indexNames = (props.globalSecondaryIndexes ?? []).map(({ indexName }) => indexName);
    this.#variable = `${id.toUpperCase()}_TABLE`;
  }

  /** Sets the table's name in the function's environment and permits these actions on the table, not on its indexes. */
  allow(fn: MusterFunction, ...actions: readonly [ItemAction, ...ItemAction[]]): void {
    this.#grant(fn, this.tableArn, actions);
  }

  /** Sets the table's name in the function's environment and permits queries of one index. */
  allowIndexQuery(fn: MusterFunction, index: string): void {
    this.#grant(fn, `${this.tableArn}/index/${index}`, ['Query']);
  }

  #grant(fn: MusterFunction, resourceArn: string, actions: readonly ItemAction[]): void {
    fn.addEnvironment(this.#variable, this.tableName);
    fn.permit('dynamodb', actions, [resourceArn]);
  }
}
