import { describe, expect, it } from 'vitest';
import type { Match } from '../../lib/client/index.ts';
import { EVENT_BYTES_MAX } from '../../lib/service/events/fit-event.ts';
import { checkWebhook, fresh, testMuster } from './muster.ts';
import { SECRET_NAME } from './receiver.ts';

const { api, receiver } = await testMuster();

/** A game of 40 players, each with 100 texts of this many letters, whose match five webhooks get. */
async function played(letters: number) {
  const paths = Array.from({ length: 5 }, () => `/${fresh('hook')}`);
  const queue = await api.queue({
    teamSize: 20,
    attributes: { packs: { type: 'strings' }, maps: { type: 'strings' } },
    webhooks: paths.map((path) => ({ url: receiver.url(path), secret: SECRET_NAME, events: ['MatchFound'] })),
  });
  const texts = Array.from({ length: 50 }, (_, n) => `😀${n}`.padEnd(letters, 'x'));
  const tickets = Array.from({ length: 40 }, () => ({
    ticketId: fresh('ticket'),
    players: [{ playerId: fresh('player'), skill: 1, attributes: { packs: texts, maps: texts } }],
  }));
  await api.client.postBatch(queue, tickets);
  await receiver.deliveries.until(() => paths.every((path) => receiver.at(path).length > 0));
  const deliveries = paths.map((path) => receiver.at(path)[0]!);
  const [first] = deliveries;
  for (const { text } of deliveries) expect(text).toBe(first!.text);
  checkWebhook(JSON.parse(first!.text));
  return { event: first!.verified(), bytes: Buffer.byteLength(first!.text), tickets };
}

describe.concurrent('a match', () => {
  it('of 222 KB reaches five webhooks as a whole', async () => {
    const { event, bytes, tickets } = await played(50);
    expect(bytes).toBeGreaterThan(200_000);
    expect(bytes).toBeLessThan(EVENT_BYTES_MAX);
    expect(event.data).not.toHaveProperty('truncated');
    const [{ attributes }] = event.data.match.teams[0].players;
    expect(attributes).toEqual(tickets[0]!.players[0]!.attributes);
  });

  it('above 240 KB reaches them in short, and the API returns the whole', async () => {
    const { event, bytes, tickets } = await played(60);
    expect(bytes).toBeLessThan(20_000);
    expect(event.data.truncated).toBe(true);
    const players = ({ teams }: Match) => teams.flatMap((team) => team.players);
    expect(
      players(event.data.match)
        .map(({ playerId }) => playerId)
        .sort(),
    ).toEqual(tickets.map(({ players: [player] }) => player!.playerId).sort());
    const whole = await api.client.match(event.data.match.matchId);
    expect(Buffer.byteLength(JSON.stringify(whole))).toBeGreaterThan(EVENT_BYTES_MAX);
    expect(players(whole).map(({ attributes: _, ...seat }) => seat)).toEqual(players(event.data.match));
  });
});
