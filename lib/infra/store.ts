import {
  AttributeType,
  Billing,
  ProjectionType,
  StreamViewType,
  type TablePropsV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Grant } from 'aws-cdk-lib/aws-iam';
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
    this.tickets = new StoreTable(this, 'Tickets', {
      variable: 'TICKETS_TABLE',
      stage,
      partitionKey: { name: 'ticketId', type: AttributeType.STRING },
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      globalSecondaryIndexes: [
        {
          indexName: 'pool',
          partitionKey: { name: 'pool', type: AttributeType.STRING },
          sortKey: { name: 'poolOrder', type: AttributeType.STRING },
          projectionType: ProjectionType.INCLUDE,
          nonKeyAttributes: ['enqueuedAt', 'players', 'linked'],
        },
      ],
    });
    this.entries = new StoreTable(this, 'Entries', {
      variable: 'ENTRIES_TABLE',
      stage,
      partitionKey: { name: 'pool', type: AttributeType.STRING },
      sortKey: { name: 'poolOrder', type: AttributeType.STRING },
    });
    this.matches = new StoreTable(this, 'Matches', {
      variable: 'MATCHES_TABLE',
      stage,
      partitionKey: { name: 'matchId', type: AttributeType.STRING },
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      globalSecondaryIndexes: [
        {
          indexName: 'deadlines',
          partitionKey: { name: 'deadlineGroup', type: AttributeType.STRING },
          sortKey: { name: 'deadline', type: AttributeType.STRING },
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
    });
    this.queues = new StoreTable(this, 'Queues', {
      variable: 'QUEUES_TABLE',
      stage,
      partitionKey: { name: 'queue', type: AttributeType.STRING },
      sortKey: { name: 'item', type: AttributeType.STRING },
      globalSecondaryIndexes: [
        {
          // Lists the definitions. It is keys-only, so changing an existing item costs no write here.
          indexName: 'items',
          partitionKey: { name: 'item', type: AttributeType.STRING },
          sortKey: { name: 'queue', type: AttributeType.STRING },
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
    });
    this.ranges = new StoreTable(this, 'Ranges', {
      variable: 'RANGES_TABLE',
      stage,
      partitionKey: { name: 'item', type: AttributeType.STRING },
      globalSecondaryIndexes: [
        {
          // Lists the latest journals of a queue, which name its latest matches.
          indexName: 'latest',
          partitionKey: { name: 'latestGroup', type: AttributeType.STRING },
          sortKey: { name: 'writtenAtMs', type: AttributeType.NUMBER },
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
    });
    this.receivers = new StoreTable(this, 'Receivers', {
      variable: 'RECEIVERS_TABLE',
      stage,
      partitionKey: { name: 'receiver', type: AttributeType.STRING },
    });
    this.ratings = new StoreTable(this, 'Ratings', {
      variable: 'RATINGS_TABLE',
      stage,
      partitionKey: { name: 'playerId', type: AttributeType.STRING },
      sortKey: { name: 'ladder', type: AttributeType.STRING },
    });
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

interface StoreTableProps extends TablePropsV2 {
  /** The environment variable with the table's name. */
  readonly variable: string;
  readonly stage: StagePolicy;
}

/** A table with on-demand billing and point-in-time recovery, whose items expire at their `expiresAt`. */
export class StoreTable extends TableV2 {
  /** The names of its indexes. */
  readonly indexNames: readonly string[];
  readonly #variable: string;

  constructor(scope: Construct, id: string, { variable, stage, ...props }: StoreTableProps) {
    super(scope, id, {
      ...props,
      billing: Billing.onDemand(),
      timeToLiveAttribute: 'expiresAt',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: stage.removalPolicy,
      deletionProtection: stage.deletionProtection,
    });
    this.indexNames = (props.globalSecondaryIndexes ?? []).map(({ indexName }) => indexName);
    this.#variable = variable;
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
    Grant.addToPrincipal({
      grantee: fn,
      actions: actions.map((action) => `dynamodb:${action}`),
      resourceArns: [resourceArn],
    });
  }
}
