import { describe, expect, it } from 'vitest';
import { MATCH_EVENT_TYPES } from '../../../lib/contract/event-type.ts';
import { type MusterEvent, musterEvent } from '../../../lib/contract/events.ts';
import type { MatchView } from '../../../lib/contract/match.ts';
import { LIMITS } from '../../../lib/contract/queue-definition.ts';
import type { TicketView } from '../../../lib/contract/ticket.ts';
import { RULE_LIMITS } from '../../../lib/rules/fields.ts';
import { EVENT_BYTES_MAX, fitted } from '../../../lib/service/events/fit-event.ts';
import { messageText } from '../../../lib/service/events/message-text.ts';

const ABOUT = { eventId: 'e'.repeat(64), time: '2026-01-01T12:00:00.000Z', queue: 'q'.repeat(64) };
const bytes = (event: MusterEvent) => Buffer.byteLength(JSON.stringify(event));

const idOf = (prefix: string, n: number) => `${prefix}${n}`.padEnd(128, '_');
/** A letter that takes six bytes of JSON, the most of all. */
const WIDE = '\u0001';
const seats = Array.from({ length: LIMITS.seatsMax }, (_, n) => ({
  playerId: idOf('p', n),
  ticketId: idOf('t', n),
  role: WIDE.repeat(32),
}));
const texts = Array.from({ length: RULE_LIMITS.valuesMax }, (_, n) =>
  String(n).padEnd(RULE_LIMITS.textMax, 'x'),
);

/** The largest match in every field that nothing but the limits of the contract bounds. */
const largest: MatchView = {
  matchId: idOf('m', 1),
  queue: ABOUT.queue,
  status: 'REQUIRES_ACCEPTANCE',
  createdAt: ABOUT.time,
  teams: Array.from({ length: LIMITS.teamsMax }, (_, t) => ({
    name: WIDE.repeat(32),
    players: seats.slice(2 * t, 2 * t + 2).map((seat) => ({ ...seat, attributes: { packs: texts } })),
  })),
  imbalance: -1.7976931348623157e308,
  teamGap: -1.7976931348623157e308,
  skillSpread: -1.7976931348623157e308,
  priority: -1.7976931348623157e308,
  lowerBound: -1.7976931348623157e308,
  optimal: false,
  region: 'r'.repeat(64),
  rules: Object.fromEntries(texts.map((name) => [name, { cost: 1e-300, values: texts }])),
  assignment: {
    address: 'a'.repeat(253),
    port: 65_535,
    sessionId: WIDE.repeat(1_024),
    tokens: Object.fromEntries(seats.map(({ playerId }) => [playerId, WIDE.repeat(4_096)])),
  },
  acceptance: { deadline: ABOUT.time, accepted: seats.map(({ ticketId }) => ticketId) },
  reason: WIDE.repeat(100_000),
  roster: 1_000_000,
  newTicketIds: seats.map(({ ticketId }) => ticketId),
  endedAt: ABOUT.time,
};

describe('an event', () => {
  const small: MusterEvent = {
    ...ABOUT,
    type: 'MatchFound',
    match: {
      ...largest,
      rules: {},
      reason: 'why',
      teams: largest.teams.slice(0, 1),
      assignment: { address: 'a' },
    },
  };

  it('that fits is left as it is', () => {
    expect(fitted(small)).toBe(small);
  });

  it('of exactly the maximum size is left as it is, and one byte more is not', () => {
    const padded = (length: number): MusterEvent => ({
      ...ABOUT,
      type: 'MatchFailed',
      match: { ...largest, rules: {}, assignment: { address: 'a' }, teams: [], reason: 'x'.repeat(length) },
    });
    const room = EVENT_BYTES_MAX - bytes(padded(0));
    expect(fitted(padded(room))).not.toHaveProperty('truncated');
    expect(fitted(padded(room + 1))).toHaveProperty('truncated', true);
  });

  it('is measured as the text of a message, in which a letter that SQS rejects takes six bytes', () => {
    const reason = '\uFFFE'.repeat(EVENT_BYTES_MAX / 4);
    const event: MusterEvent = {
      ...ABOUT,
      type: 'MatchFailed',
      match: { ...largest, rules: {}, assignment: { address: 'a' }, teams: [], reason },
    };
    expect(bytes(event)).toBeLessThan(EVENT_BYTES_MAX);
    expect(fitted(event)).toHaveProperty('truncated', true);
    expect(Buffer.byteLength(messageText(fitted(event)))).toBeLessThanOrEqual(EVENT_BYTES_MAX);
  });

  it.each(MATCH_EVENT_TYPES)('%s of the largest match fits, with all players and ids', (type) => {
    const event: MusterEvent = { ...ABOUT, type, match: largest };
    expect(bytes(event)).toBeGreaterThan(4 * EVENT_BYTES_MAX);
    const short = fitted(event);
    expect(bytes(short)).toBeLessThan(EVENT_BYTES_MAX);
    // The schema would remove what it does not know.
    expect(musterEvent.parse(short)).toEqual(short);
    const { match } = short as { match: MatchView };
    expect(short).toMatchObject({ ...ABOUT, type, truncated: true });
    expect(match.teams.flatMap(({ players }) => players)).toEqual(seats);
    expect(match.assignment).toEqual({
      address: 'a'.repeat(253),
      port: 65_535,
      sessionId: WIDE.repeat(1_024),
    });
    const { teams: _, assignment: __, reason: ___, rules: ____, ...same } = largest;
    expect(match).toMatchObject(same);
    expect(match).not.toHaveProperty('rules');
  });

  it('of the largest ticket fits, with all players', () => {
    const ticket: TicketView = {
      ticketId: idOf('t', 1),
      queue: ABOUT.queue,
      status: 'FAILED',
      enqueuedAt: ABOUT.time,
      players: seats.map(({ playerId }) => ({
        playerId,
        skill: 1e-90,
        roles: [WIDE.repeat(32)],
        attributes: { packs: texts },
        avoid: seats.slice(0, RULE_LIMITS.avoidMax).map((seat) => seat.playerId),
      })),
      matchId: idOf('m', 1),
      reason: WIDE.repeat(100_000),
    };
    const short = fitted({ ...ABOUT, type: 'TicketFailed', ticket });
    expect(bytes(short)).toBeLessThan(EVENT_BYTES_MAX);
    expect(musterEvent.parse(short)).toEqual(short);
    expect(short).toMatchObject({
      truncated: true,
      ticket: { ticketId: ticket.ticketId, status: 'FAILED', reason: WIDE.repeat(1_000) },
    });
    expect((short as { ticket: TicketView }).ticket.players).toEqual(
      seats.map(({ playerId }) => ({ playerId, skill: 1e-90 })),
    );
  });
});
