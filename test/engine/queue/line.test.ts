import { expect, it } from 'vitest';
import { Line, type QueuedTicket } from '../../../lib/engine/queue/line.ts';
import { layoutOf } from '../../../lib/engine/shapes/layout.ts';
import { poolShapeTicket } from '../../../lib/engine/shapes/shape-ticket.ts';
import { seeded } from '../random-pool.ts';

const layout = layoutOf({ teamSize: 1, alpha: 1, p: 1, q: 2, beta: 0 });

function queued(ticketId: string, skill: number): QueuedTicket {
  const ticket = { ticketId, enqueuedAtMs: 0, players: [{ playerId: ticketId, skill }] };
  return { ticket: poolShapeTicket(ticket, layout), credit: 0, number: 0, isHere: true };
}

it.each([
  ['unlinked at once', true],
  ['unlinked by those who come upon them', false],
])('keeps the order of skill through a long life, tickets that have left being %s', (_, isEager) => {
  const random = seeded(20271);
  let names = 0;
  // Few skills, so that many are equal; tickets of equal skill are in order of their ids.
  const fresh = () => queued(`t${String(names++).padStart(5, '0')}`, Math.floor(60 * random()));
  const inOrder = (a: QueuedTicket, b: QueuedTicket) =>
    a.ticket.mean - b.ticket.mean || (a.ticket.ticket.ticketId < b.ticket.ticket.ticketId ? -1 : 1);
  const waiting = Array.from({ length: 300 }, fresh).sort(inOrder);
  const line = new Line([...waiting]);
  const idOf = new Map(waiting.map((one, id) => [one, id]));
  for (let step = 0; step < 4000; step++) {
    const isBusy = Math.floor(step / 500) % 2 === 0;
    if (random() < (isBusy ? 0.8 : 0.05)) {
      const one = fresh();
      waiting.push(one);
      idOf.set(one, line.insert(one));
      waiting.sort(inOrder);
    } else if (waiting.length > 0) {
      const [one] = waiting.splice(Math.floor(waiting.length * random()), 1);
      one.isHere = false;
      if (isEager) line.remove(idOf.get(one)!);
    }
    const mean = 62 * random() - 1;
    const above = waiting.findIndex(({ ticket }) => ticket.mean >= mean);
    const found = (id: number) => (id === -1 ? undefined : line.tickets[id]);
    expect(found(line.firstFrom(mean))).toBe(above === -1 ? undefined : waiting[above]);
    expect(found(line.lastBelow(mean))).toBe(above === -1 ? waiting.at(-1) : waiting[above - 1]);
    if (step % 100 > 0) continue;
    const listed: QueuedTicket[] = [];
    for (let id = line.firstFrom(-1); id !== -1; id = line.waitingAfter(id)) listed.push(line.tickets[id]);
    expect(listed).toEqual(waiting);
    const inBlocks = line.blocks.flatMap(({ ids }) => ids.filter((id) => line.tickets[id].isHere));
    expect(inBlocks.map(found)).toEqual(waiting);
    for (const { ids, low, high } of line.blocks)
      for (const id of ids) expect(low <= line.means[id] && line.means[id] <= high).toBe(true);
  }
  expect(names).toBeGreaterThan(1500);
});
