import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, it } from 'vitest';
import { playerKeys, playerTokens } from '../../lib/aws/player-tokens.ts';
import type { TicketView } from '../../lib/contract/ticket.ts';
import type { WatchMessage } from '../../lib/contract/watch.ts';
import { player, testMuster } from './muster.ts';
import { connection, forgedToken, refusal, type Watching, watching, watchUrl } from './watching.ts';

const { api, cloud } = await testMuster();

const typesOf = (messages: readonly WatchMessage[]) => messages.map(({ type }) => type);
/** The messages without those that were sent again, because API Gateway took longer than a second for them. */
const distinct = (all: readonly WatchMessage[]) => new Set(all.map((one) => JSON.stringify(one))).size;
const first = async (url: string) => {
  const watcher = await watching(url);
  const message = await watcher.messages.first(({ type }) => type === 'Ticket');
  return { watcher, message };
};
/** Whether a message shows the ticket with this status: the event of the change, or the ticket after the client has connected again. */
const shows =
  (status: TicketView['status']) =>
  ({ data }: WatchMessage): boolean =>
    (data as { ticket?: { status: string } }).ticket?.status === status;
/** Sends a frame as a game client does, again while no message shows its effect: the service may end a connection at any time. */
const achieved = async (
  { messages, send }: Watching,
  frame: object,
  wanted: (message: WatchMessage) => boolean,
): Promise<WatchMessage> => {
  send(frame);
  const again = setInterval(() => send(frame), 2_000);
  try {
    return await messages.first(wanted);
  } finally {
    clearInterval(again);
  }
};
const matchId = ({ data }: WatchMessage) => (data as { match: { matchId: string } }).match.matchId;

describe.concurrent('a game client that watches its ticket', () => {
  it('first gets the ticket as it is, then every change in the form of the events', async () => {
    const queue = await api.queue({ acceptance: { timeoutSeconds: 600 } });
    const one = await api.ticket(queue, 1);
    const { watcher, message } = await first(watchUrl(one));
    expect(message).toMatchObject({ data: { ticket: { ticketId: one.ticketId, status: 'QUEUED' } } });
    const two = await api.ticket(queue, 2);
    const found = await watcher.messages.first(shows('REQUIRES_ACCEPTANCE'));
    expect(found).toMatchObject({ data: { match: { status: 'REQUIRES_ACCEPTANCE' } } });
    const other = await first(watchUrl(two));
    const accept = { action: 'accept', matchId: matchId(found) };
    const done = await achieved(watcher, accept, ({ type }) => type === 'Done');
    expect(done).toMatchObject({ data: accept });
    await achieved(other.watcher, accept, shows('COMPLETED'));
    const accepted = await watcher.messages.first(shows('COMPLETED'));
    if (accepted.type === 'MatchAccepted') expect(accepted).toMatchObject({ data: { ready: true } });
    await api.client.end(matchId(found));
    await watcher.messages.first(
      ({ data }) => (data as { match?: { endedAt?: string } }).match?.endedAt !== undefined,
    );
    // Where a connection has ended, the ticket as it is takes the place of the event.
    const changes = new Set(typesOf(watcher.messages.items).filter((type) => type.startsWith('Match')));
    const inOrder = ['MatchFound', 'MatchAccepted', 'MatchEnded'] as const;
    expect([...changes]).toEqual(inOrder.filter((type) => changes.has(type)));
    watcher.leave();
    other.watcher.leave();
  });

  it('gets what has changed while it was away with the first message', async () => {
    const queue = await api.queue();
    const one = await api.ticket(queue, 1);
    const { watcher } = await first(watchUrl(one));
    watcher.vanish();
    await watcher.closed;
    await api.ticket(queue, 2);
    await api.until(one.ticketId, 'COMPLETED');
    const again = await first(watchUrl(one));
    expect(again.message).toMatchObject({ data: { ticket: { status: 'COMPLETED' }, match: { queue } } });
    again.watcher.leave();
  });

  it('cancels its ticket, and declines its match', async () => {
    const queue = await api.queue({ acceptance: { timeoutSeconds: 600 } });
    const lone = await api.ticket(queue, 5_000);
    const quitter = await first(watchUrl(lone));
    expect(await achieved(quitter.watcher, { action: 'cancel' }, shows('CANCELLED'))).toMatchObject({
      data: { ticket: { reasonCode: 'CANCELLED_BY_REQUEST' } },
    });

    const [one, two] = [await api.ticket(queue, 1), await api.ticket(queue, 2)];
    const decliner = await first(watchUrl(one));
    const left = await first(watchUrl(two));
    const { matchId } = await api.until(one.ticketId, 'REQUIRES_ACCEPTANCE');
    await left.watcher.messages.first(shows('REQUIRES_ACCEPTANCE'));
    const before = left.watcher.messages.items.length;
    await achieved(decliner.watcher, { action: 'decline', matchId }, shows('CANCELLED'));
    await left.watcher.messages.until((items) => items.slice(before).some(shows('QUEUED')));
    for (const { watcher } of [quitter, decliner, left]) watcher.leave();
  });

  it('accepts for its own player alone where each player answers, and learns who of its party is ready', async () => {
    const queue = await api.queue({ teamSize: 2, acceptance: { timeoutSeconds: 600, by: 'player' } });
    const one = await api.ticket(queue, [player(1), player(1)]);
    const two = await api.ticket(queue, [player(1), player(1)]);
    const [ann, ben] = [await first(watchUrl(one)), await first(watchUrl(one, 1))];
    const { matchId, acceptance } = await api.until(one.ticketId, 'REQUIRES_ACCEPTANCE');
    expect(acceptance).toMatchObject({ ready: 0, of: 4, players: [] });
    const readyIn = ({ data }: WatchMessage) =>
      (data as { ticket?: TicketView }).ticket?.acceptance?.players ?? [];
    const own = one.players.map(({ playerId }) => playerId);
    const accept = { action: 'accept', matchId };
    // Ben learns it by a ReadyCheck, or by the ticket after his connection has ended.
    await achieved(ann.watcher, accept, (message) => readyIn(message).includes(own[0]!));
    const seen = await ben.watcher.messages.first((message) => readyIn(message).length > 0);
    expect(readyIn(seen)).toEqual([own[0]]);
    expect((seen.data as { ticket: TicketView }).ticket.acceptance).toMatchObject({ ready: 1, of: 4 });
    await api.client.accept(two.ticketId, matchId!, { playerIds: [two.players[0]!.playerId] });
    await api.client.accept(two.ticketId, matchId!);
    const match = await api.client.match(matchId!);
    expect(match.acceptance!.accepted).toEqual(
      [own[0]!, ...two.players.map(({ playerId }) => playerId)].sort(),
    );
    await achieved(ben.watcher, accept, shows('COMPLETED'));
    await ann.watcher.messages.first(shows('COMPLETED'));
    const said = [...ann.watcher.messages.items, ...ben.watcher.messages.items];
    expect(said.some(({ type }) => type === 'ReadyCheck')).toBe(true);
    expect(said.every(({ data }) => !('match' in data) || !('acceptance' in (data.match as object)))).toBe(
      true,
    );
    for (const { watcher } of [ann, ben]) watcher.leave();
  });

  it('sees its own token alone, and nothing that its queue hides from players', async () => {
    const queue = await api.queue({
      provisioner: { type: 'external' },
      attributes: { rank: { type: 'number', default: 1 } },
    });
    const party = [{ ...player(1), attributes: { rank: 3 }, avoid: ['rival'] }];
    const one = await api.ticket(queue, party);
    const two = await api.ticket(queue, 2);
    const { watcher } = await first(watchUrl(one));
    const { matchId } = await api.until(one.ticketId, 'PLACING');
    const [own, other] = [one, two].map(({ players }) => players[0]!.playerId);
    const tokens = { [own!]: 'mine', [other!]: 'theirs' };
    await api.client.assign(matchId!, { address: 'game.example', tokens });
    const { data } = await watcher.messages.first(
      ({ data }) => (data as { match?: { assignment?: object } }).match?.assignment !== undefined,
    );
    expect(data).toMatchObject({ match: { assignment: { tokens: { [own!]: 'mine' } } } });
    const all = JSON.stringify(watcher.messages.items);
    for (const hidden of ['theirs', 'rival', 'rank']) expect(all).not.toContain(hidden);
    watcher.leave();
  });

  it('gets the ticket for a ping unless it has seen it as it is', async () => {
    const queue = await api.queue();
    const one = await api.ticket(queue, 1);
    const { watcher } = await first(watchUrl(one));
    watcher.send({ action: 'ping', seen: { status: 'QUEUED' } });
    watcher.send({ action: 'ping', seen: { status: 'PLACING', matchId: 'm' } });
    await watcher.messages.until((all) => distinct(all) >= 2);
    watcher.send({ action: 'ping' });
    await watcher.messages.until((all) => distinct(all) >= 3);
    expect(new Set(typesOf(watcher.messages.items))).toEqual(new Set(['Ticket']));
    watcher.leave();
  });

  it('gets a problem for every frame that is none, and stays connected', async () => {
    const queue = await api.queue();
    const { watcher } = await first(watchUrl(await api.ticket(queue, 1)));
    const unknown = ['dance', '$connect', '$disconnect'].map((action) => ({ action }));
    const frames = ['no JSON', '[]', ...unknown, { action: 'accept' }, { action: 'cancel', now: 1 }];
    for (const frame of [...frames, { action: 'cancel', more: 'x'.repeat(8_000) }]) watcher.send(frame);
    watcher.send({ action: 'accept', matchId: 'another-match' });
    const problems = (all: readonly WatchMessage[]) =>
      all.flatMap(({ type, data }) => (type === 'Problem' ? (data as { status: number }).status : []));
    const have = (status: number, all: readonly WatchMessage[]) =>
      problems(all).filter((one) => one === status).length;
    await watcher.messages.until((all) => have(400, all) >= 7 && have(409, all) > 0 && have(413, all) > 0);
    expect(new Set(problems(watcher.messages.items))).toEqual(new Set([400, 409, 413]));
    await achieved(watcher, { action: 'cancel' }, shows('CANCELLED'));
    watcher.leave();
  });
});

describe.concurrent('a connection is refused', () => {
  const posted = async (): Promise<TicketView> => api.ticket(await api.queue(), 1);

  it('without a token', async () => {
    const { watch } = await posted();
    await expect(watching(watch!.url)).rejects.toMatchObject({ status: 401 });
    await expect(watching(`${watch!.url}?token=`)).rejects.toMatchObject({ status: 401 });
  });

  it('with a token that is forged, changed, or no token at all', async () => {
    const ticket = await posted();
    const { url, tokens } = ticket.watch!;
    const [own] = Object.values(tokens);
    const [head, claims, signature] = own!.split('.');
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`;
    for (const token of [await forgedToken(ticket), `${head}.${claims}x.${signature}`, unsigned, 'x'])
      await expect(watching(`${url}?token=${token}`)).rejects.toMatchObject({ status: 403 });
  });

  it('with a token of another deployment, and learns nothing: neither why, nor whether there is the ticket', async () => {
    const ticket = await posted();
    const { url } = ticket.watch!;
    const answers = [ticket, { ...ticket, ticketId: 'no-such-ticket' }].map(async (one) => {
      const response = await refusal(`${url}?token=${await forgedToken(one)}`);
      const { date: _, ...headers } = response.headers;
      return { ...response, headers };
    });
    const [known, unknown] = await Promise.all(answers);
    expect(known).toMatchObject({ status: 403, body: '' });
    expect(known).toEqual(unknown);
    // AWS would count an error of the function, and alarm.
    expect(
      cloud.logs.filter(({ source, line }) => source === 'local cloud' && /authorize/i.test(line)),
    ).toEqual([]);
  });

  it('with a token of the service that has expired', async () => {
    const { ticketId, queue, players, enqueuedAt, watch } = await posted();
    const keys = playerKeys.parse(JSON.parse(cloud.function('authorize').environment.PLAYER_KEYS!));
    const tokens = playerTokens(new SecretsManagerClient(cloud.awsConfig), keys);
    const enqueuedAtMs = Date.parse(enqueuedAt);
    const watcher = { ticketId, queue, playerId: players[0]!.playerId, player: 0, enqueuedAtMs };
    const urlFor = async (untilMs: number) => `${watch!.url}?token=${await tokens.issue(watcher, untilMs)}`;
    await expect(watching(await urlFor(Date.now() - 1_000))).rejects.toMatchObject({ status: 403 });
    // The same token connects before its end, so nothing else about it is wrong.
    const { watcher: valid } = await first(await urlFor(Date.now() + 3_600_000));
    valid.leave();
  });
});

describe.concurrent('connections with one token', () => {
  it('are three at most: a new one ends the oldest', async () => {
    const ticket = await api.ticket(await api.queue(), 1);
    const opened = [];
    for (let i = 0; i < 4; i++) {
      const one = await connection(watchUrl(ticket));
      await one.messages.first(({ type }) => type === 'Ticket');
      opened.push(one);
    }
    await opened[0]!.closed;
    for (const { socket, messages } of opened.slice(1)) {
      socket.send(JSON.stringify({ action: 'ping' }));
      await messages.until((all) => distinct(all) >= 2);
      socket.close();
    }
  });
});

describe('a connection that floods frames', () => {
  it('is told and ended, and the watchers of other tickets notice nothing', async () => {
    // Two queues, in each of which a ticket waits alone.
    const flooding = await api.ticket(await api.queue(), 1);
    const other = await api.ticket(await api.queue(), 1);
    const { watcher } = await first(watchUrl(other));
    const { socket, messages, closed } = await connection(watchUrl(flooding));
    await messages.first(({ type }) => type === 'Ticket');
    const flood = setInterval(() => socket.send('{"action":"cancel","to":"annoy"}'), 5);
    const isTold = ({ type, data }: WatchMessage) =>
      type === 'Problem' && (data as { status: number }).status === 429;
    await messages.first(isTold);
    await closed;
    clearInterval(flood);
    await achieved(watcher, { action: 'cancel' }, shows('CANCELLED'));
    watcher.leave();
  });
});
