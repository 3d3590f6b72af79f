import * as z from 'zod';
import {
  connectQuery,
  doneMessage,
  frame,
  matchChangeMessage,
  problemMessage,
  readyCheckMessage,
  ticketChangeMessage,
  ticketMessage,
} from './watch.ts';

type Json = Readonly<Record<string, unknown>>;

/** The messages to a client, by the name of the schema. */
const MESSAGES = {
  TicketMessage: {
    schema: ticketMessage,
    summary: 'The current ticket: the first message, and the response to a ping',
  },
  TicketChangeMessage: { schema: ticketChangeMessage, summary: 'The ticket has ended' },
  ReadyCheckMessage: {
    schema: readyCheckMessage,
    summary:
      'More players have accepted the match of the ticket: after each answer up to 20 players; above, after each twentieth part of them and the last four answers',
  },
  MatchChangeMessage: { schema: matchChangeMessage, summary: 'The match of the ticket has changed' },
  DoneMessage: { schema: doneMessage, summary: 'The action of the client was done' },
  ProblemMessage: { schema: problemMessage, summary: 'A frame was rejected. The connection stays open' },
} as const;

/** The AsyncAPI 3 document of the socket on which game clients watch their tickets, from the schemas that check it. */
export function asyncApi(): Json {
  const names = Object.keys(MESSAGES);
  const messages = Object.fromEntries([
    ...Object.entries(MESSAGES).map(([name, { summary }]) => [name, messageOf(name, summary)]),
    ['Frame', messageOf('Frame', 'An action or a ping of a client')],
  ]);
  const refTo = (name: string) => ({ $ref: `#/channels/watch/messages/${name}` });
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Muster',
      version: '1',
      description:
        'A game client watches its ticket: it gets each change, and accepts, declines and cancels.',
    },
    servers: {
      deployment: {
        host: '{host}',
        pathname: '/live',
        protocol: 'wss',
        description: 'The URL is in `watch.url` of a posted ticket',
        variables: { host: { description: 'ID.execute-api.REGION.amazonaws.com' } },
        security: [{ $ref: '#/components/securitySchemes/token' }],
      },
    },
    channels: {
      watch: {
        address: '/live',
        summary: 'The ticket of a token',
        messages: Object.fromEntries(
          [...names, 'Frame'].map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: {
          ws: {
            method: 'GET',
            query: querySchema(),
          },
        },
      },
    },
    operations: {
      sendFrame: {
        action: 'receive',
        channel: { $ref: '#/channels/watch' },
        summary: 'A client accepts, declines, cancels, or asks for its ticket',
        messages: [refTo('Frame')],
      },
      getMessages: {
        action: 'send',
        channel: { $ref: '#/channels/watch' },
        summary: 'A client gets its ticket and each of its changes',
        messages: names.map(refTo),
      },
    },
    components: {
      messages,
      schemas: schemas(),
      securitySchemes: {
        token: {
          type: 'httpApiKey',
          name: 'token',
          in: 'query',
          description: 'The token of a player, in `watch.tokens` of a posted ticket',
        },
      },
    },
  };
}

function querySchema(): Json {
  const {
    $schema: _,
    properties,
    ...schema
  } = z.toJSONSchema(connectQuery, { target: 'draft-7', io: 'output' });
  return { ...schema, properties: { token: { type: 'string' }, ...properties }, required: ['token'] };
}

function messageOf(name: string, summary: string): Json {
  return {
    name,
    summary,
    contentType: 'application/json',
    payload: { $ref: `#/components/schemas/${name}` },
  };
}

/** The schemas of the messages and of those that they refer to. Clients must accept unknown fields of messages. */
function schemas(): Json {
  const of = (schema: z.ZodType, io: 'input' | 'output') =>
    z.toJSONSchema(schema, {
      target: 'draft-7',
      io,
      override: ({ jsonSchema, zodSchema }) => {
        const { def } = zodSchema._zod as { def: { type: string; catchall?: unknown } };
        if (io === 'output' && def.type === 'object' && def.catchall === undefined)
          delete jsonSchema.additionalProperties;
      },
    }) as Record<string, unknown> & { definitions?: Record<string, unknown> };
  const all: Record<string, unknown> = {};
  const add = (name: string, { $schema: _, definitions = {}, ...schema }: ReturnType<typeof of>) => {
    for (const [inner, definition] of Object.entries(definitions)) all[inner] ??= definition;
    // A schema with an id is a reference to its own definition.
    all[name] ??= schema;
  };
  for (const [name, { schema }] of Object.entries(MESSAGES)) add(name, of(schema, 'output'));
  add('Frame', of(frame, 'input'));
  return JSON.parse(JSON.stringify(all).replaceAll('#/definitions/', '#/components/schemas/'));
}
