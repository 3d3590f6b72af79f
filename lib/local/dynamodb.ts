/** The template's tables in a DynamoDB emulator, which runs in its own process. */
import { isDeepStrictEqual } from 'node:util';
import { AwsCallError, type AwsService, callAws } from './aws-json.ts';
import { DYNAMODB_TARGET, type Emulator, type EmulatorOptions, startEmulator } from './dynamodb-emulator.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import type { Properties, Resource } from './template.ts';

export interface DynamoDB {
  readonly emulator: Emulator;
  readonly service: AwsService;
  /** The emulator's ARN of the table's stream. It differs from the ARN in the template. */
  streamArn(tableName: string): string;
  stop(): Promise<void>;
}

/**
 * @param tables resources of the types AWS::DynamoDB::GlobalTable and AWS::DynamoDB::Table
 * @throws LocalCloudError when no emulator can run on this machine, or when tables in `dataDir` have other keys than
 * the template's
 */
export async function startDynamoDB(
  tables: readonly Resource[],
  options: EmulatorOptions = {},
): Promise<DynamoDB> {
  const running = await startEmulator(options);
  const streamArns = new Map<string, string>();
  try {
    for (const table of tables) {
      const description = await createTable(running.service, tableInput(table));
      if (description.LatestStreamArn !== undefined) streamArns.set(table.name, description.LatestStreamArn);
    }
  } catch (error) {
    await running.stop();
    throw error;
  }
  return {
    emulator: running.emulator,
    service: running.service,
    streamArn(tableName) {
      const arn = streamArns.get(tableName);
      if (arn === undefined) throw new LocalCloudError(`The table ${tableName} has no stream.`);
      return arn;
    },
    stop: running.stop,
  };
}

/** The part of a table's description that is compared with the template. */
interface TableDescription {
  readonly LatestStreamArn?: string;
  readonly KeySchema?: readonly object[];
  readonly GlobalSecondaryIndexes?: readonly {
    readonly IndexName?: string;
    readonly KeySchema?: readonly object[];
  }[];
}

function tableInput({ name, properties }: Resource) {
  const stream = properties.StreamSpecification as Properties | undefined;
  const indexes = properties.GlobalSecondaryIndexes as readonly Properties[] | undefined;
  return {
    TableName: name,
    AttributeDefinitions: properties.AttributeDefinitions,
    KeySchema: properties.KeySchema as readonly object[],
    BillingMode: 'PAY_PER_REQUEST',
    ...(stream && {
      StreamSpecification: { StreamEnabled: true, StreamViewType: stream.StreamViewType },
    }),
    ...(indexes && {
      GlobalSecondaryIndexes: indexes.map(({ IndexName, KeySchema, Projection }) => ({
        IndexName: IndexName as string,
        KeySchema: KeySchema as readonly object[],
        Projection,
      })),
    }),
  };
}

async function createTable(
  service: AwsService,
  input: ReturnType<typeof tableInput>,
): Promise<TableDescription> {
  try {
    await callAws(service, DYNAMODB_TARGET, 'CreateTable', input);
  } catch (error) {
    if (!(error instanceof AwsCallError) || error.code !== 'ResourceInUseException') throw error;
  }
  const { Table } = await callAws<{ Table: TableDescription }>(service, DYNAMODB_TARGET, 'DescribeTable', {
    TableName: input.TableName,
  });
  const keys = (table: TableDescription) => ({
    table: table.KeySchema,
    indexes: (table.GlobalSecondaryIndexes ?? []).map(({ IndexName, KeySchema }) => ({
      IndexName,
      KeySchema,
    })),
  });
  if (!isDeepStrictEqual(keys(Table), keys(input))) {
    throw new LocalCloudError(
      `The stored table ${input.TableName} has other keys than the template: start with a new data directory.`,
    );
  }
  return Table;
}
