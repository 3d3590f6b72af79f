import { expect, it } from 'vitest';
import type { Match } from '../../lib/client/index.ts';
import { EVENT_BYTES_MAX } from '../../lib/service/events/fit-event.ts';
import { checkWebhook, fresh, testMuster } from './muster.ts';
import { type Delivery, SECRET_NAME } from './receiver.ts';

const { api, receiver } = await testMuster();

/** More than this, five times, exceeds the largest request of SQS. */
const FIFTH_OF_REQUEST = (1024 * 1024) / 5;

it('a match of the maximum size reaches five webhooks, and with large tokens in short', async () => {
  const paths = Array.from({ length: 5 }, () => `/${fresh('hook')}`);
  const queue = await api.queue({
    teamSize: 20,
    roles: { ['r'.repeat(32)]: 20 },
    attributes: { packs: { type: 'strings' }, maps: { type: 'strings' } },
    provisioner: { type: 'external' },
    webhooks: paths.map((path) => ({ url: receiver.url(path), secret: SECRET_NAME })),
  });
  // 100 texts of 44 letters: a few bytes below what a player of this queue may have.
  const texts = Array.from({ length: 50 }, (_, n) => `😀${n}`.padEnd(44, 'x'));
  const attributes = { packs: texts, maps: texts };
  const tickets = Array.from({ length: 40 }, () => ({
    ticketId: fresh('ticket').padEnd(128, '_'),
    players: [{ playerId: fresh('player').padEnd(128, '_'), skill: 1, attributes }],
  }));
  const posted = await api.client.postBatch(queue, tickets);
  expect(posted.map(({ status }) => status)).toEqual(tickets.map(() => 201));

  const found = await arrivedAtAll(paths, 'MatchFound');
  expect(Buffer.byteLength(found.text)).toBeGreaterThan(FIFTH_OF_REQUEST);
  const { data } = found.verified();
  expect(data).not.toHaveProperty('truncated');
  expect(playersOf(data.match).map((player) => player.attributes)).toEqual(tickets.map(() => attributes));

  const tokens = Object.fromEntries(
    tickets.map(({ players: [player] }) => [player!.playerId, 'x'.repeat(1_000)]),
  );
  const { matchId } = data.match;
  expect((await api.put(`/matches/${matchId}/assignment`, { address: 'game.example', tokens })).status).toBe(
    200,
  );
  const assigned = await arrivedAtAll(paths, 'MatchAssigned');
  expect(Buffer.byteLength(assigned.text)).toBeLessThan(EVENT_BYTES_MAX);
  const short = assigned.verified().data;
  expect(short.truncated).toBe(true);
  expect(short.match.assignment).toEqual({ address: 'game.example' });
  const whole = await api.client.match(matchId);
  expect(whole.assignment?.tokens).toEqual(tokens);
  expect(Buffer.byteLength(JSON.stringify(whole))).toBeGreaterThan(EVENT_BYTES_MAX);
  expect(playersOf(short.match)).toEqual(playersOf(whole).map(({ attributes: _, ...seat }) => seat));
});

/** The event of a type, which is the same at all paths. */
async function arrivedAtAll(paths: readonly string[], type: string): Promise<Delivery> {
  const at = (path: string) => receiver.at(path).find((delivery) => JSON.parse(delivery.text).type === type);
  await receiver.deliveries.until(() => paths.every(at));
  const [first, ...others] = paths.map((path) => at(path)!);
  for (const { text } of others) expect(text).toBe(first!.text);
  checkWebhook(JSON.parse(first!.text));
  return first!;
}

function playersOf({ teams }: Match) {
  return teams.flatMap(({ players }) => players);
}
