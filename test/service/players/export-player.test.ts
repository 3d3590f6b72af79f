import { expect, it } from 'vitest';
import { exportPlayer } from '../../../lib/service/players/export-player.ts';
import type { Named } from '../../../lib/service/ports/player-data-store.ts';
import { ticket } from '../../aws/samples.ts';

it('a player with much data is exported in parts that fit into a response, each item once', async () => {
  const attributes = { notes: Array.from({ length: 50 }, (_, n) => String(n).padEnd(64, '"')) };
  const items = Array.from({ length: 2_000 }, (_, n) => ({
    ...ticket('duel', `t${n}`, 1),
    players: [{ playerId: 'ann', skill: 1, attributes }],
  }));
  // A page of a megabyte.
  const PAGE = 150;
  const data = {
    page: async (_: string, from = '0') => {
      const at = Number(from);
      const named = items
        .slice(at, at + PAGE)
        .map((one) => ({ kind: 'ticket', is: 'about', ticket: one }) as unknown as Named);
      return { named, next: at + PAGE < items.length ? String(at + PAGE) : undefined };
    },
  } as never;
  const seen: string[] = [];
  let continuation: string | undefined;
  do {
    const part = await exportPlayer(
      { data, clock: { now: () => 0, sleep: async () => {} } },
      'ann',
      continuation,
    );
    // As Lambda counts: the body is a text in the JSON of the response.
    expect(JSON.stringify({ body: JSON.stringify(part) }).length).toBeLessThan(6_291_556);
    seen.push(...part.tickets.map(({ ticketId }) => ticketId));
    ({ continuation } = part);
  } while (continuation !== undefined);
  expect(seen).toEqual(items.map(({ ticketId }) => ticketId));
});
