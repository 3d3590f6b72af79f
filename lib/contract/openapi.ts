import * as z from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { acceptanceBody } from './acceptance.ts';
import { backfillView, matchEnd, newBackfill } from './backfill.ts';
import { deadLetters } from './dead-letters.ts';
import { dryRunBody } from './dry-run.ts';
import type { EventType } from './event-type.ts';
import { webhookBodies } from './events.ts';
import { assignment, matchResult, matchView } from './match.ts';
import { continuationQuery, playerData, playerErasure, playerPath } from './player-data.ts';
import { Problem } from './problem.ts';
import { problemDocument } from './problem-document.ts';
import { queueDefinition, queueName } from './queue-definition.ts';
import { queueStats } from './queue-stats.ts';
import { queueVersion, queueVersions, versionPath } from './queue-versions.ts';
import { latestMatches, latestQuery, waitingQuery, waitingSample } from './queue-views.ts';
import { ROUTES, type RouteKey, type Scope, scopesOf, tokenScope } from './routes.ts';
import { id, newTicket, ticketQuery, ticketView } from './ticket.ts';
import { ticketBatchBody, ticketBatchResult, ticketIdsQuery, ticketList } from './ticket-batch.ts';

const PROBLEMS: Record<number, string> = {
  400: 'The request is not valid; `errors` names the fields',
  404: 'Not found',
  409: 'Its state does not allow this request',
  413: 'The body is larger than 64 KiB',
  415: 'The body is not JSON',
  429: 'The player has three requests with waitSeconds or explain already, or the rate limit of the route is exceeded; retry after Retry-After seconds',
  503: 'Too busy; retry after Retry-After seconds',
};
const WITH_BODY = [400, 413, 415];

/** The OpenAPI 3.1 document, generated from the schemas that check requests. */
export function openApi(): ReturnType<typeof createDocument> {
  const queue = z.object({ queue: queueName });
  const ticket = z.object({ ticketId: id });
  const match = z.object({ matchId: id });
  const backfill = z.object({ backfillId: id });
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Muster',
      version: '1',
      description:
        'A team matchmaker that proves how fair its matches are. Every request can be repeated safely.',
    },
    components: { securitySchemes: SECURITY_SCHEMES },
    paths: secured({
      '/queues': {
        get: operation('listQueues', 'All queues', { 200: z.object({ queues: z.array(queueDefinition) }) }),
      },
      '/queues/{queue}': {
        get: operation(
          'getQueue',
          'A queue definition',
          { 200: queueDefinition },
          { path: queue, problems: [404] },
        ),
        put: operation(
          'putQueue',
          'Create or change a queue',
          { 200: queueDefinition, 201: queueDefinition },
          { path: queue, body: queueDefinition, problems: [409] },
        ),
        delete: operation(
          'deleteQueue',
          'Close a queue, or leave it closed: it accepts no new tickets, and waiting tickets can still be matched',
          { 204: undefined },
          { path: queue, problems: [404] },
        ),
      },
      '/queues/{queue}/tickets': {
        post: operation(
          'createTicket',
          'Create a ticket; 200 when the same ticket already exists',
          { 200: ticketView, 201: ticketView },
          { path: queue, body: newTicket, problems: [404, 409] },
        ),
      },
      '/queues/{queue}/ticket-batches': {
        post: operation(
          'createTickets',
          'Create up to 50 tickets; each gets the same result as if it were posted alone',
          { 200: ticketBatchResult },
          { path: queue, body: ticketBatchBody, problems: [404] },
        ),
      },
      '/queues/{queue}/stats': {
        get: operation(
          'getQueueStats',
          'The statistics of a queue',
          { 200: queueStats },
          { path: queue, problems: [404] },
        ),
      },
      '/queues/{queue}/matches': {
        get: operation(
          'getLatestMatches',
          'The latest matches of a queue, the newest first',
          { 200: latestMatches },
          { path: queue, query: latestQuery, problems: [404] },
        ),
      },
      '/queues/{queue}/waiting': {
        get: operation(
          'getWaiting',
          'A sample of the waiting tickets of a queue in order of skill, without names and ids',
          { 200: waitingSample },
          { path: queue, query: waitingQuery, problems: [404] },
        ),
      },
      '/queues/{queue}/versions': {
        get: operation(
          'getVersions',
          'The last 50 versions of a queue definition, the newest first',
          { 200: queueVersions },
          { path: queue, problems: [404] },
        ),
      },
      '/queues/{queue}/versions/{version}/restore': {
        post: operation(
          'restoreVersion',
          'Put the definition of an earlier version again, as a new version; changes nothing when it is in force',
          { 200: queueVersion },
          { path: versionPath, problems: [404, 409] },
        ),
      },
      '/queues/{queue}/dry-run': {
        post: operation(
          'dryRun',
          'Search for matches among the given tickets; stores nothing',
          { 200: matchResult },
          { path: queue, body: dryRunBody, problems: [404] },
        ),
      },
      '/dead-letters': {
        get: operation('getDeadLetters', 'The messages that the consumers of the service gave up', {
          200: deadLetters,
        }),
      },
      '/players/{playerId}': {
        get: operation(
          'getPlayerData',
          'What is stored about a player, in parts: repeat the request with each `continuation`',
          { 200: playerData },
          { path: playerPath, query: continuationQuery, problems: [400] },
        ),
        delete: operation(
          'erasePlayer',
          'Erase a player from all tables; 202 when the request has to be repeated',
          { 200: playerErasure, 202: playerErasure },
          { path: playerPath, query: continuationQuery, problems: [400] },
        ),
      },
      '/tickets': {
        get: operation(
          'getTickets',
          'Up to 50 tickets as they are now; unknown ones are omitted',
          { 200: ticketList },
          { query: ticketIdsQuery, problems: [400] },
        ),
      },
      '/tickets/{ticketId}': {
        get: operation(
          'getTicket',
          'A ticket, immediately or when its status changes',
          { 200: ticketView },
          { path: ticket, query: ticketQuery, problems: [404, 429] },
        ),
        delete: operation(
          'cancelTicket',
          'Cancel a ticket that is QUEUED; one that is CANCELLED stays as it is',
          { 200: ticketView },
          { path: ticket, problems: [404, 409] },
        ),
      },
      '/tickets/{ticketId}/acceptance': {
        put: operation(
          'answerMatch',
          'Accept or decline the match of a ticket that REQUIRES_ACCEPTANCE',
          { 200: ticketView },
          { path: ticket, body: acceptanceBody, problems: [404, 409] },
        ),
      },
      '/matches/{matchId}': {
        get: operation('getMatch', 'A match', { 200: matchView }, { path: match, problems: [404] }),
      },
      '/matches/{matchId}/assignment': {
        put: operation(
          'assignMatch',
          'Set the game server of a match',
          { 200: matchView },
          { path: match, body: assignment, problems: [404, 409] },
        ),
      },
      '/matches/{matchId}/backfill': {
        post: operation(
          'createBackfill',
          'Ask for players into the empty seats of a match; 200 when the same backfill already exists',
          { 200: backfillView, 201: backfillView },
          { path: match, body: newBackfill, problems: [404, 409] },
        ),
      },
      '/matches/{matchId}/end': {
        post: operation(
          'endMatch',
          'End a match for good: it gets no more players',
          { 200: matchView },
          { path: match, body: matchEnd, problems: [404, 409] },
        ),
      },
      '/backfills/{backfillId}': {
        get: operation(
          'getBackfill',
          'A backfill',
          { 200: backfillView },
          { path: backfill, problems: [404] },
        ),
        delete: operation(
          'cancelBackfill',
          'Cancel a backfill that is QUEUED',
          { 200: backfillView },
          { path: backfill, problems: [404, 409] },
        ),
      },
      '/health': {
        get: operation('health', 'A health check', { 200: z.object({ status: z.literal('ok') }) }),
      },
      '/openapi.json': { get: operation('openApi', 'This document', { 200: z.looseObject({}) }) },
    }),
    webhooks: Object.fromEntries(
      webhookBodies.map(({ type, body }) => [type, { post: webhook(type, body) }]),
    ),
  };
  return createDocument(document, { override: openOutputs });
}

/** Later versions may add fields to responses and events, so clients must accept unknown fields. */
const openOutputs: ZodOpenApiOverride = ({ jsonSchema, zodSchema, io }) => {
  const { def } = zodSchema._zod;
  if (io === 'output' && def.type === 'object' && def.catchall === undefined)
    delete jsonSchema.additionalProperties;
};

function webhook(type: EventType, body: z.ZodType): ZodOpenApiOperationObject {
  return {
    operationId: `on${type}`,
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
  MatchAccepted: 'Every ticket of a match has accepted it',
  MatchAssigned: 'A match has its assignment',
  MatchFailed: 'A match was not accepted, or got no assignment',
  MatchBackfilled: 'Players were added to a running match: `newTicketIds` of the match names their tickets',
  MatchEnded: 'A match was ended for good',
};

const webhookHeaders = z.object({
  'webhook-id': z.string().meta({ description: 'The eventId' }),
  'webhook-timestamp': z.string().meta({ description: 'Seconds since the epoch' }),
  'webhook-signature': z.string(),
});

/** A deployment uses one of the two schemes. */
const SECURITY_SCHEMES = {
  jwt: {
    type: 'http' as const,
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'A token of the issuer that the deployment configures, with the scope in its `scope` or `scp`',
  },
  iam: {
    type: 'apiKey' as const,
    name: 'Authorization',
    in: 'header' as const,
    'x-amazon-apigateway-authtype': 'awsSigv4',
    description: 'AWS Signature Version 4, service `execute-api`',
  },
};

/** Adds to each operation the callers that may use it. */
function secured(paths: ZodOpenApiPathsObject): ZodOpenApiPathsObject {
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations as Record<string, ZodOpenApiOperationObject>).map(([method, operation]) => {
          const key = `${method.toUpperCase()} ${path}`;
          if (!Object.hasOwn(ROUTES, key)) throw new Error(`Expected ${key} to be in ROUTES.`);
          return [method, withScopes(operation, scopesOf(key as RouteKey))];
        }),
      ),
    ]),
  );
}

function withScopes(
  operation: ZodOpenApiOperationObject,
  scopes: readonly Scope[],
): ZodOpenApiOperationObject {
  if (scopes.length === 0) return { ...operation, security: [] };
  // A caller needs only one of these alternatives.
  const security = [...scopes.map((scope) => ({ jwt: [tokenScope(scope)] })), { iam: [] }];
  // A route with a limit of its own has both kinds of responses.
  const { '429': own } = operation.responses as Record<string, { readonly content?: object }>;
  const both = own && { 429: { ...own, content: { ...own.content, ...REFUSALS[429]!.content } } };
  return { ...operation, security, responses: { ...operation.responses, ...REFUSALS, ...both } };
}

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
      content: { 'application/json': { schema: z.looseObject({ message: z.string().nullable() }) } },
    },
  ]),
);

function operation(
  operationId: string,
  summary: string,
  answers: Record<number, z.ZodType | undefined>,
  more: { path?: z.ZodObject; query?: z.ZodObject; body?: z.ZodType; problems?: number[] } = {},
): ZodOpenApiOperationObject {
  const bad = more.body ? WITH_BODY : more.path ? [400] : [];
  const problems = [...new Set([...bad, ...(more.problems ?? []), 503])].sort();
  const responses = [
    ...Object.entries(answers).map(([status, schema]) => [
      status,
      { description: summary, ...(schema && { content: { 'application/json': { schema } } }) },
    ]),
    ...problems.map((status) => [
      String(status),
      { description: PROBLEMS[status], content: { 'application/problem+json': { schema: problemDocument } } },
    ]),
  ];
  return {
    operationId,
    summary,
    ...((more.path || more.query) && {
      requestParams: { ...(more.path && { path: more.path }), ...(more.query && { query: more.query }) },
    }),
    ...(more.body && {
      requestBody: { required: true, content: { 'application/json': { schema: more.body } } },
    }),
    responses: Object.fromEntries(responses),
  };
}

/**
 * Rejects a request that no route serves.
 * @throws Problem 405 the path has other methods, 404 it has none
 */
export function rejectRoute(document: ReturnType<typeof openApi>, method: string, path: string): never {
  const pattern = Object.keys(document.paths ?? {}).find((template) => matches(template, path));
  if (pattern === undefined) {
    throw new Problem(404, `There is no route ${path}. GET /openapi.json lists the routes.`);
  }
  const allowed = Object.keys(document.paths![pattern]!).map((name) => name.toUpperCase());
  throw new Problem(405, `Expected ${allowed.join(' or ')} for ${pattern}, got ${method}.`, {
    headers: { allow: allowed.join(', ') },
  });
}

function matches(template: string, path: string): boolean {
  const wanted = template.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, i) => (part.startsWith('{') ? given[i] !== '' : part === given[i]))
  );
}
