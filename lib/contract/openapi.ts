import * as z from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { type Scope, tokenScope } from './callers.ts';
import type { EventType } from './event-type.ts';
import { webhookBodies } from './events.ts';
import { problemDocument } from './problem-document.ts';
import { pathSchema, ROUTE_KEYS, type RouteKey, routeOf } from './routes.ts';

const SERVERS = [
  { url: 'http://127.0.0.1:3000', description: 'The service of `muster serve`' },
  {
    url: 'https://{apiId}.execute-api.{region}.amazonaws.com',
    description: 'A deployment: `ApiUrl` of its outputs',
    variables: { apiId: { default: 'a1b2c3d4e5' }, region: { default: 'us-east-1' } },
  },
];

/** The tags of the document, with the routes of each. */
const TAGS: Record<string, { readonly description: string; readonly routes?: RegExp }> = {
  Tickets: { description: 'Players who wait for a match', routes: / \/tickets|\/ticket(s|-batches)$/ },
  Matches: { description: 'Matches, their game servers and results', routes: / \/matches\/(?!.*backfill)/ },
  Backfills: { description: 'Players for the empty seats of running matches', routes: /backfill/ },
  Queues: {
    description: 'Definitions, statistics and cooldowns of queues',
    routes: / \/queues(?!.*\/(ticket|experiment))/,
  },
  Experiments: { description: 'Two definitions of a queue, compared', routes: /\/experiment/ },
  Ladders: { description: 'Ratings of players', routes: / \/ladders/ },
  Players: { description: 'Export and erasure of the stored data about a player', routes: / \/players/ },
  Service: { description: 'The service itself', routes: / \/(dead-letters|health|openapi)/ },
  Webhooks: { description: 'Events that Muster posts to a backend' },
};

const PROBLEMS: Record<number, string> = {
  400: 'The request is not valid; `errors` names the fields',
  404: 'Not found',
  409: 'Its state does not allow this request',
  412: 'Another version of the definition is in force than `If-Match` names',
  413: 'The body is larger than 64 KiB',
  415: 'The body is not JSON',
  429: 'The player has three requests with waitSeconds or explain already, or the rate limit of the route is exceeded; retry after Retry-After seconds',
  503: 'Too busy; retry after Retry-After seconds',
};
const WITH_BODY = [400, 413, 415];

/** The OpenAPI 3.1 document, generated from the table of routes and the schemas that check requests. */
export function openApi(): ReturnType<typeof createDocument> {
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Muster',
      version: '1',
      description:
        'A team matchmaker that proves how fair its matches are. Every request can be repeated safely.',
      contact: { name: 'Muster' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: SERVERS,
    tags: Object.entries(TAGS).map(([name, { description }]) => ({ name, description })),
    components: { securitySchemes: SECURITY_SCHEMES },
    paths: paths(),
    webhooks: Object.fromEntries(
      webhookBodies.map(({ type, body }) => [type, { post: webhook(type, body) }]),
    ),
  };
  return createDocument(document, { override: forGenerators });
}

function paths(): ZodOpenApiPathsObject {
  const all: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const key of ROUTE_KEYS) {
    const { path, method, scopes } = routeOf(key);
    all[path] = { ...all[path], [method.toLowerCase()]: withScopes(operation(key), scopes) };
  }
  return all;
}

function operation(key: RouteKey): ZodOpenApiOperationObject {
  const { id, summary, description, query, headers, body, answers, hasEtag, ...route } = routeOf(key);
  const path = pathSchema(key);
  const bad = body ? WITH_BODY : path || query ? [400] : [];
  const missing = path && !route.isNeverMissing ? [404] : [];
  const responses = [
    ...Object.entries(answers).map(([status, schema]) => [
      status,
      {
        description: summary,
        ...(hasEtag && { headers: etag }),
        ...(schema && { content: { 'application/json': { schema } } }),
      },
    ]),
    ...[...new Set([...bad, ...missing, ...(route.problems ?? []), 503])].sort().map((status) => [
      String(status),
      {
        description: PROBLEMS[status],
        content: { 'application/problem+json': { schema: problemDocument } },
      },
    ]),
  ];
  return {
    operationId: id,
    tags: Object.entries(TAGS).flatMap(([name, { routes }]) => (routes?.test(key) ? [name] : [])),
    summary,
    description,
    ...((path || query) && {
      requestParams: { ...(path && { path }), ...(query && { query }), ...(headers && { header: headers }) },
    }),
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: Object.fromEntries(responses),
  };
}

const etag = z.object({
  ETag: z.string().meta({ description: 'The version of the definition, for `If-Match`' }),
});

/**
 * Later versions may add fields to responses and events, so clients must accept unknown fields. Generators in typed languages take 32
 * bits for a number without a format.
 */
const forGenerators: ZodOpenApiOverride = ({ jsonSchema, zodSchema, io }) => {
  const { def } = zodSchema._zod;
  if (io === 'output' && def.type === 'object' && def.catchall === undefined)
    delete jsonSchema.additionalProperties;
  if (jsonSchema.type === 'number') jsonSchema.format = 'double';
  if (jsonSchema.type === 'integer' && jsonSchema.maximum! >= INT32_END) jsonSchema.format = 'int64';
};
const INT32_END = 2 ** 31;

function webhook(type: EventType, body: z.ZodType): ZodOpenApiOperationObject {
  return {
    operationId: `on${type}`,
    tags: ['Webhooks'],
    security: [{ webhook: [] }],
    summary: WEBHOOKS[type],
    description:
      'POSTed to the webhooks of the queue definition that subscribe to this event, signed by the Standard Webhooks scheme. It may be delivered more than once, with the same `webhook-id`.',
    requestParams: { header: webhookHeaders },
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: {
      '2XX': { description: 'Delivered' },
      '410': { description: 'Rejected; Muster does not retry' },
      default: {
        description: 'Not delivered; Muster retries after growing delays, up to eight attempts in total',
      },
    },
  };
}

const WEBHOOKS: Record<EventType, string> = {
  TicketQueued: 'A ticket is waiting for a match, for the first time or again',
  TicketCancelled: 'A ticket was cancelled',
  TicketTimedOut: 'A ticket was not matched within the time-out of its queue',
  TicketFailed:
    'A ticket has failed with its third match that was not placed, in a queue with `onFailure: "requeue"`. Other tickets fail with their match: see MatchFailed',
  MatchFound: 'Tickets were matched',
  MatchAccepted: 'All have accepted a match',
  MatchAssigned: 'A match has its assignment',
  MatchFailed: 'A match was not accepted, or got no assignment',
  MatchBackfilled: 'Players were added to a running match: `newTicketIds` of the match names their tickets',
  MatchEnded:
    'A match was ended for good. It is sent again when its result comes later: `result` of the match has it',
  MatchRated: 'The result of a match has changed the ratings of its players: `ratings` of the match has them',
};

const webhookHeaders = z.object({
  'webhook-id': z.string().meta({ description: 'The eventId' }),
  'webhook-timestamp': z.string().meta({ description: 'Seconds since the epoch' }),
  'webhook-signature': z.string(),
});

/** A deployment uses tokens or signatures; webhooks have a signature of their own. */
const SECURITY_SCHEMES = {
  jwt: {
    type: 'http' as const,
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'A token of the issuer that the deployment configures, with the scope in its `scope` or `scp`',
  },
  webhook: {
    type: 'apiKey' as const,
    name: 'webhook-signature',
    in: 'header' as const,
    description: 'The signature of a webhook, by the secret of the receiver',
  },
  iam: {
    type: 'apiKey' as const,
    name: 'Authorization',
    in: 'header' as const,
    'x-amazon-apigateway-authtype': 'awsSigv4',
    description: 'AWS Signature Version 4, service `execute-api`',
  },
};

/** Adds the scopes that may use an operation. */
function withScopes(
  operation: ZodOpenApiOperationObject,
  scopes: readonly Scope[],
): ZodOpenApiOperationObject {
  const { 429: throttled } = REFUSALS;
  if (scopes.length === 0)
    return { ...operation, security: [], responses: { ...operation.responses, 429: throttled } };
  const names = scopes.map((scope) => `\`${tokenScope(scope)}\``).join(' or ');
  const description = `${operation.description}\n\nA token needs the scope ${names}.`;
  // A route with a limit of its own has both kinds of responses.
  const { '429': own } = operation.responses as Record<string, { readonly content?: object }>;
  const both = own && { 429: { ...own, content: { ...own.content, ...throttled!.content } } };
  const responses = { ...operation.responses, ...REFUSALS, ...both };
  return { ...operation, description, security: [{ jwt: [] }, { iam: [] }], responses };
}

const refusal = z.looseObject({ message: z.string().nullable() }).meta({ id: 'Refusal' });

/** Responses of API Gateway itself, which are not problem documents. */
const REFUSALS = Object.fromEntries(
  [
    [401, 'The token is missing, invalid or expired'],
    [403, 'The caller lacks the scope or the permission to call this route'],
    [429, 'The rate limit of the route is exceeded'],
  ].map(([status, description]) => [
    status,
    {
      description,
      content: { 'application/json': { schema: refusal } },
    },
  ]),
);
