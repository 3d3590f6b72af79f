import { afterAll, expect, test } from 'vitest';
import type { LobbyMessage, PlayerMessage } from '../../examples/lobby/lobby.ts';
import { startLobby } from '../../examples/lobby/server.ts';
import { Growing } from './growing.ts';
import { testMuster } from './muster.ts';
import { SECRET } from './receiver.ts';

const muster = await testMuster();
muster.cloud.secrets.set('lobby/webhooks', SECRET);
// On a busy machine nobody runs out of time.
const queue = { timeoutSeconds: 1_200, acceptance: { timeoutSeconds: 600 } };
const lobby = await startLobby({ musterUrl: muster.cloud.url, secret: SECRET, port: 0, queue });
afterAll(() => lobby.stop());

/** A player's page: what the lobby has sent to it, and what it sends. */
async function page(name: string) {
  const messages = new Growing<LobbyMessage>();
  const socket = new WebSocket(lobby.url.replace('http', 'ws'));
  socket.onmessage = ({ data }) => messages.add(JSON.parse(data));
  await new Promise((open) => {
    socket.onopen = open;
  });
  const send = (message: PlayerMessage) => socket.send(JSON.stringify(message));
  return { name, messages, send, socket };
}

test('ten players find each other, accept, and see the same teams', async () => {
  const players = await Promise.all(Array.from({ length: 10 }, (_, i) => page(`player ${i}`)));
  for (const [i, { name, send }] of players.entries()) send({ do: 'find', name, skill: 1_000 + 10 * i });
  const seen = await Promise.all(
    players.map(async ({ messages, send }) => {
      await messages.first(({ at }) => at === 'found');
      send({ do: 'answer', accepted: true });
      return (await messages.first(({ at }) => at === 'playing')) as LobbyMessage & { at: 'playing' };
    }),
  );
  const [{ teams }] = seen as [(typeof seen)[0]];
  expect(teams.map(({ length }) => length)).toEqual([5, 5]);
  expect(teams.flat().sort()).toEqual(players.map(({ name }) => name).sort());
  for (const one of seen) expect(one.teams).toEqual(teams);
}, 300_000);

test('a message that is none and a page of another site change nothing', async () => {
  const { socket, messages, send } = await page('ann');
  for (const text of ['nonsense', 'null', '[]', '{"do":"find"}', '{"do":"answer","accepted":true}'])
    socket.send(text);
  send({ do: 'leave' });
  await messages.until((items) => items.length > 0);
  expect(messages.items).toEqual([{ at: 'home' }]);

  const foreign = await fetch(`${lobby.url}/webhooks`, { method: 'POST', body: '{}' });
  expect(foreign.status).toBe(401);
  expect((await fetch(`${lobby.url}/../secrets.json`)).status).toBe(404);
});
