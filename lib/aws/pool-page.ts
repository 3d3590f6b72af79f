import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

/** An item of the pool's index. Sorting needs only its sort key. */
export type PoolItem = Record<string, unknown> & { readonly poolOrder: string };

export interface PoolPage {
  readonly items: PoolItem[];
  /** The key of the last item; absent when no items follow. */
  readonly last?: PoolItem | undefined;
}

/**
 * Reads one page of the pool's index. A page of a megabyte has thousands of items, which the SDK walks by the schema of the
 * response and then again to convert them. This function converts the items from the JSON of the response, in a quarter of the
 * CPU time. The SDK handles the rest of the response, errors and retries.
 */
export async function poolPage(client: DynamoDBDocumentClient, query: QueryCommandInput): Promise<PoolPage> {
  const command = new QueryCommand(query);
  let taken: PoolItem[] | undefined;
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const response = result.response as Response;
      if (response.statusCode !== 200) return result;
      const { Items = [], ...rest } = JSON.parse(await textOf(response.body)) as Page;
      taken = Items.map(toItem);
      response.body = Buffer.from(JSON.stringify(rest));
      return result;
    },
    // Runs before the SDK's own deserializer.
    { name: 'poolItems', step: 'deserialize', priority: 'low', override: true },
  );
  const { Items = [], LastEvaluatedKey } = await client.send(command);
  return { items: taken ?? (Items as PoolItem[]), last: LastEvaluatedKey as PoolItem | undefined };
}

interface Response {
  readonly statusCode: number;
  body: AsyncIterable<Uint8Array> | Uint8Array;
}

type Attributes = Record<string, AttributeValue>;

interface Page {
  readonly Items?: readonly Attributes[];
}

async function textOf(body: Response['body']): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function toItem(attributes: Attributes): PoolItem {
  const item: Record<string, unknown> = {};
  for (const name in attributes) {
    const { S, N } = attributes[name]!;
    if (S !== undefined) item[name] = S;
    else if (N !== undefined) item[name] = Number(N);
    // Attributes of other types are those of other versions.
    else item[name] = unmarshall({ [name]: attributes[name]! })[name];
  }
  return item as PoolItem;
}
