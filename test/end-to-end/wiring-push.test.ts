import { describe, expect, it } from 'vitest';
import { connectionStore } from '../../lib/aws/connection-store.ts';
import { documentClient } from '../../lib/aws/dynamo.ts';
import { type Ticket, type Watch, type WatchOptions, watchBySocket } from '../../lib/client/index.ts';
import { accessesOf } from '../../lib/local/access.ts';
import { startLocalCloud } from '../../lib/local/local-cloud.ts';
import { matchesWildcard, roleStatements } from '../../lib/local/policy.ts';
import { builtApp } from '../infra/built-app.ts';
import { eventually } from '../patience.ts';
import { fresh, player, studioAround } from './muster.ts';
import { refusalsOfEachCall } from './refusals.ts';
import { retriesAtOnce } from './retries.ts';
import { connection, watchUrl } from './watching.ts';

/** Each function of the WebSocket API has at least so many kinds of calls to AWS. */
const REFUSED_MIN = { authorize: 1, sockets: 10, push: 5 };
/** So many first commands to a connection are throttled: a message, with all of its tries. */
const THROTTLED = 3;
/** So often a player's client pings, to find what a failure has withheld from it. */
const PING_SECONDS = 1;

/** A decline makes fewer kinds of calls than this. */
const DECLINES_MAX = 10;

const refusals = refusalsOfEachCall();
const used: { readonly caller: string; readonly action: string; readonly resourceArn: string }[] = [];
const routes = new Set<string>();
const lines: string[] = [];
const throttled = new Map<string, number>();
const { cloud, api } = await refusingMuster();

/** The service with its WebSocket API. The first calls of each kind to AWS are rejected. */
async function refusingMuster() {
  const { intercept: atOnce } = retriesAtOnce();
  const started = await startLocalCloud({
    ...builtApp('local'),
    port: 0,
    log: ({ line }) => lines.push(line),
    interceptCommand: (method, connectionId) => {
      if (method !== 'POST') return undefined;
      const count = (throttled.get(connectionId) ?? 0) + 1;
      throttled.set(connectionId, count);
      return count <= THROTTLED ? { status: 429 } : undefined;
    },
    intercept: (call, service, caller) => {
      for (const access of accessesOf(call.target, call.operation, call.input))
        if (caller !== undefined) used.push({ caller, ...access });
      return refusals.intercept(call, (allowed) => atOnce(allowed, service, caller), caller);
    },
  });
  const fn = started.function('sockets');
  const { invoke } = fn;
  Object.assign(fn, {
    invoke(event: { requestContext?: { routeKey: string } }) {
      routes.add(event.requestContext?.routeKey ?? 'the stream of new connections');
      return invoke(event);
    },
  });
  refusals.begin();
  return studioAround(started, { repeats: true });
}

/** Posts a ticket, again while the key that signs tokens cannot be read: its players have no token then. */
async function posted(queue: string, skill: number): Promise<Ticket> {
  const ticketId = fresh('ticket');
  const players = [player(skill)];
  for (;;) {
    const ticket = await api.client.post(queue, { ticketId, players });
    if (ticket.watch !== undefined) return ticket;
  }
}

/** Watches a ticket with nothing but its token. What a rejected call of the service has prevented is asked for again. */
function watchOf({ watch, players }: Ticket, again: (watch: Watch) => Promise<void>): Watch {
  const onProblem: WatchOptions['onProblem'] = ({ status = 0 }) => {
    if (status >= 500) void again(own).catch(() => {});
  };
  const token = watch!.tokens[players[0]!.playerId]!;
  const own: Watch = watchBySocket({ url: watch!.url, token, pingSeconds: PING_SECONDS }, { onProblem });
  return own;
}

/** Does something at each change with a status, until the ticket has another one. Returns the statuses that the player saw. */
async function seen(
  ticket: Ticket,
  at: Ticket['status'],
  act: (watch: Watch, matchId: string) => Promise<void>,
  until: Ticket['status'],
) {
  let matchId = '';
  const again = (watch: Watch) => act(watch, matchId);
  const watch = watchOf(ticket, again);
  const statuses: string[] = [];
  for await (const change of watch) {
    const { status } = change.ticket;
    if (statuses.at(-1) !== status) statuses.push(status);
    if (status === until) break;
    matchId = change.ticket.matchId ?? '';
    // Without a connection the next change or ping leads here again.
    if (status === at) await again(watch).catch(() => {});
  }
  return statuses;
}

describe('when the first calls of each kind are rejected, players can still', () => {
  it('connect, see their match and accept it over the socket', async () => {
    const queue = await api.queue({ acceptance: { timeoutSeconds: 600 }, presence: { graceSeconds: 120 } });
    const both = [await posted(queue, 1), await posted(queue, 2)];
    const accept = (watch: Watch, matchId: string) => watch.accept(matchId);
    const all = await Promise.all(both.map((one) => seen(one, 'REQUIRES_ACCEPTANCE', accept, 'COMPLETED')));
    // Their match may be found before they are connected.
    for (const statuses of all) expect(statuses.slice(-2)).toEqual(['REQUIRES_ACCEPTANCE', 'COMPLETED']);
  });

  it('cancel their ticket', async () => {
    const ticket = await posted(await api.queue(), 1);
    expect(await seen(ticket, 'QUEUED', (watch) => watch.cancel(), 'CANCELLED')).toEqual([
      'QUEUED',
      'CANCELLED',
    ]);
  });

  it('leave while they wait', async () => {
    const ticket = await posted(await api.queue({ presence: { graceSeconds: 120 }, tickSeconds: 60 }), 1);
    const { CONNECTIONS_TABLE } = cloud.function('sockets').environment;
    const connections = connectionStore(documentClient(cloud.awsConfig), CONNECTIONS_TABLE!);
    let left = 0;
    // A failure leaves the connection to the next message, so the next one that ends meets the next rejected call.
    await eventually(async () => {
      await seen(ticket, 'QUEUED', async () => {}, 'QUEUED');
      expect((await connections.of(ticket.ticketId)).length).toBeLessThan(++left);
    });
  });

  it('decline a match, after which the other waits again', async () => {
    const queue = await api.queue({
      acceptance: { timeoutSeconds: 600 },
      cooldown: { decline: [{ times: 1, seconds: 600 }] },
    });
    const decline = (watch: Watch, matchId: string) => watch.decline(matchId);
    // A failure after the end of the match leaves the cooldown to `deadline`, so the next player meets the next rejected call.
    for (let status = 0, tries = 1; status !== 429; tries++) {
      expect(tries).toBeLessThan(DECLINES_MAX);
      const [one, two] = [await posted(queue, 1), await posted(queue, 2)];
      await seen(one, 'REQUIRES_ACCEPTANCE', decline, 'CANCELLED');
      await api.until(two.ticketId, 'QUEUED');
      await api.delete(`/tickets/${two.ticketId}`);
      const again = { ticketId: fresh('ticket'), players: one.players };
      ({ status } = await api.post(`/queues/${queue}/tickets`, again));
      if (status < 300) await api.delete(`/tickets/${again.ticketId}`);
    }
  });
});

describe('a change that API Gateway does not take at first', () => {
  it('reaches the player by a retry', async () => {
    const ticket = await posted(await api.queue(), 1);
    const { socket, messages } = await eventually(() => connection(watchUrl(ticket)));
    await messages.first(({ type }) => type === 'Ticket');
    // The next message to the connection is throttled as the first one was, and this one is a change.
    throttled.clear();
    await api.delete(`/tickets/${ticket.ticketId}`);
    await messages.first(({ data }) => (data as { ticket?: Ticket }).ticket?.status === 'CANCELLED');
    socket.close();
  });
});

describe('a connection that sends too many frames', () => {
  it('is ended', async () => {
    const ticket = await posted(await api.queue(), 1);
    // A connection is refused while its first calls are rejected.
    const { socket, closed } = await eventually(() => connection(watchUrl(ticket)));
    const flood = setInterval(() => socket.send('{"action":"ping"}'), 50);
    await closed;
    clearInterval(flood);
  });
});

describe('the template of the sockets', () => {
  it('has no unused route', () => {
    expect([...routes].sort()).toEqual([
      '$connect',
      '$default',
      '$disconnect',
      'the stream of new connections',
    ]);
  });

  it.each(Object.entries(REFUSED_MIN))(
    'permits everything that %s does after a rejected call',
    (name, min) => {
      const refused = [...refusals.refused].filter((kind) =>
        kind.startsWith(`${cloud.function(name).name}:`),
      );
      expect(refused.length).toBeGreaterThanOrEqual(min);
      expect(lines.filter((line) => line.includes('is not authorized'))).toEqual([]);
    },
  );

  it.each(Object.keys(REFUSED_MIN))('gives %s no permission of its own that it does not use', (name) => {
    const fn = cloud.function(name);
    const isUsed = ({ action, arn }: { action: string; arn: string }) =>
      used.some(
        (one) => one.caller === fn.name && one.action === action && matchesWildcard(arn, one.resourceArn),
      );
    // Lambda reads streams and queues, sends dead letters and writes logs for a function. Commands to connections are no calls that this test sees: without
    // the right to them no player gets a message.
    const isSeen = ({ action, arn }: { action: string; arn: string }) =>
      !/^(logs:|execute-api:|sqs:(Receive|Delete|Get))/.test(action) && !/\/stream\/|DeadLetters/.test(arn);
    // It changes tickets with the same rights as the API, whose use `wiring.test.ts` checks.
    const shared = new Set(rightsOf('ticket-changes').map((right) => JSON.stringify(right)));
    const own = rightsOf(name).filter((right) => isSeen(right) && !shared.has(JSON.stringify(right)));
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter((right) => !isUsed(right))).toEqual([]);
  });
});

function rightsOf(name: string) {
  return roleStatements(cloud.stack)
    .get(cloud.function(name).roleName)!
    .flatMap(({ Action, Resource }) =>
      [Action!].flat().flatMap((action) => [Resource!].flat().map((arn) => ({ action, arn }))),
    );
}
