import { expect, it, onTestFinished, vi } from 'vitest';
import { learnServiceTime, serviceNow } from '../../lib/console/page/data/service-time.ts';
import { clockText, shareText } from '../../lib/console/page/format.ts';

it('writes neither a few as none nor almost all as all', () => {
  const texts = [0, 0.0004, 0.002, 0.02, 0.5, 0.9996, 1].map((share) => shareText(share));
  expect(texts).toEqual(['0 %', '0.04 %', '0.2 %', '2 %', '50 %', '99.9 %', '100 %']);
});

it('writes the day of a time that is not of today', () => {
  expect(clockText(Date.now())).toMatch(/^\d\d:\d\d:\d\d$/);
  expect(clockText(Date.now() - 3 * 86_400_000)).toMatch(/^\d+ \w+, \d\d:\d\d:\d\d$/);
});

it('measures ages by the clock of the service, however wrong that of this machine is', () => {
  vi.useFakeTimers({ now: 1_000_000 });
  onTestFinished(() => void vi.useRealTimers());
  learnServiceTime(1_000_900, 1_000_000);
  expect(serviceNow()).toBe(1_000_000);
  learnServiceTime(1_300_000, 1_000_000);
  expect(serviceNow()).toBe(1_300_000);
  learnServiceTime(1_000_000, 1_000_000);
  expect(serviceNow()).toBe(1_000_000);
});

it('reads each ticket of the latest matches once, also those of a match with more than one request returns', async () => {
  vi.stubGlobal('location', { origin: 'http://console' });
  vi.stubGlobal('document', { querySelector: () => null });
  onTestFinished(() => void vi.unstubAllGlobals());
  // They are of the page, whose types the tests do not have.
  const ofPage = (file: string) => import(`../../lib/console/page/data/${file}.ts`);
  const { withMatchedTickets } = await ofPage('matched-tickets');
  const { service } = await ofPage('service');
  const ticketOf = (ticketId: unknown) => ({ ticketId, enqueuedAt: '2026-01-01T00:00:00Z', players: [] });
  const read = vi
    .spyOn(service, 'tickets')
    .mockImplementation(async (...[ids]) => (ids as string[]).map(ticketOf));
  const players = Array.from({ length: 120 }, (_, i) => ({ playerId: `p${i}`, ticketId: `t${i}` }));
  const matches = [{ createdAt: '2026-01-01T00:01:00Z', teams: [{ players }] }];
  const asked = new Set<string>();
  const { signal } = new AbortController();
  let tickets = await withMatchedTickets([], asked, matches, signal);
  for (let i = 0; i < 5; i++) tickets = await withMatchedTickets(tickets, asked, matches, signal);
  expect(tickets).toHaveLength(120);
  expect(read).toHaveBeenCalledTimes(3);
  await withMatchedTickets(tickets, asked, [], signal);
  expect(asked.size).toBe(0);
});
