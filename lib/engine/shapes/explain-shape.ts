import { shapeOf } from '../model/game-shape.ts';
import type { Forbids, GameRules } from '../types.ts';
import { type Layout, layoutOf } from './layout.ts';
import { Seating } from './seating.ts';
import type { ShapeTicket } from './shape-ticket.ts';
import { mixesOf } from './size-mixes.ts';

/**
 * Why no game with this ticket can be formed at this time, when counting shows it: no team takes it, too few players, too few
 * for a kind of team or a role, or all others refused. Undefined when none of these applies. Cost: linear in the waiting tickets.
 */
export function explainShape(
  ticket: ShapeTicket,
  waiting: Iterable<ShapeTicket>,
  rules: GameRules,
  nowMs: number,
  forbids: Forbids | undefined,
): string | undefined {
  const layout = layoutOf(rules, rules.short !== undefined);
  const alone = misfit(ticket, layout);
  if (alone !== undefined) return alone;
  const refusals = new Map<string, number>();
  const within: ShapeTicket[] = [ticket];
  for (const other of waiting) {
    if (other === ticket) continue;
    const reason = forbids?.(ticket.ticket, other.ticket);
    if (reason === undefined) within.push(other);
    else refusals.set(reason, (refusals.get(reason) ?? 0) + 1);
  }
  const refused = refusedText(refusals);
  return (
    tooFew(ticket, within, rules, nowMs, refused) ??
    tooFewFor(within, layout, refused) ??
    incomplete(ticket, within, layout, refused)
  );
}

/** How many tickets are refused, and why: by reason where there are several. */
function refusedText(refusals: ReadonlyMap<string, number>): string {
  if (refusals.size === 0) return '';
  const total = [...refusals.values()].reduce((a, b) => a + b, 0);
  const why =
    refusals.size === 1
      ? refusals.keys().next().value
      : Array.from(refusals, ([reason, tickets]) => `${tickets} because ${reason}`).join(', ');
  return ` (${total} more may not be matched with it: ${why})`;
}

/**
 * The players that a game needs, as text: `12, or 10 who have all waited 30 s`.
 * @param unit is written after the first number. @default nothing
 */
export function playersNeeded(rules: GameRules, unit = ''): string {
  const { seats, seatsMin } = shapeOf(rules);
  const { afterSeconds = 0 } = rules.short ?? {};
  return seatsMin === seats || afterSeconds === 0
    ? `${seatsMin}${unit}`
    : `${seats}${unit}, or ${seatsMin} who have all waited ${afterSeconds} s`;
}

/** Whether there are too few for a full game, and too few who have waited long enough for a short one. */
function tooFew(
  ticket: ShapeTicket,
  within: readonly ShapeTicket[],
  rules: GameRules,
  nowMs: number,
  refused: string,
): string | undefined {
  const { short } = rules;
  const { seats, seatsMin } = shapeOf(rules);
  const players = playersOf(within);
  if (players >= seats) return undefined;
  const afterMs = 1000 * (short?.afterSeconds ?? Number.POSITIVE_INFINITY);
  const mayBeShort = (one: ShapeTicket) => nowMs - one.ticket.enqueuedAtMs >= afterMs;
  const ready = playersOf(within.filter(mayBeShort));
  if (mayBeShort(ticket) && ready >= seatsMin) return undefined;
  const available =
    seatsMin < seats && afterMs > 0
      ? `; ${players} available, ${ready} of them for ${short!.afterSeconds} s`
      : `, ${players} available`;
  return `Too few players: a match with this ticket needs ${playersNeeded(rules)}${available}${refused}.`;
}

function playersOf(tickets: readonly ShapeTicket[]): number {
  return tickets.reduce((sum, { size }) => sum + size, 0);
}

/** Why no team takes this ticket, whatever else is waiting. */
export function misfit({ kinds, classes, size, isSplit }: ShapeTicket, layout: Layout): string | undefined {
  if (kinds.some((mask) => mask === 0)) {
    return size === 1 || isSplit
      ? `A player of this ticket accepts none of the teams of this queue (${namesOf(layout)}).`
      : `No team of this queue takes this party of ${size}: its players accept no team in common that has room for them (${namesOf(layout)}).`;
  }
  if (!classes) return undefined;
  const fitsTeam = layout.kinds.some((_, kind) => {
    if (!isSplit && ((kinds[0] >> kind) & 1) === 0) return false;
    const room = layout.classes!.map((one) => (isSplit ? one.seats : one.kind === kind ? one.perTeam : 0));
    return new Seating(room, size).join(classes);
  });
  if (fitsTeam) return undefined;
  const roles = [...new Set(layout.classes!.flatMap(({ role }) => role ?? []))].join(', ');
  return size === 1
    ? `The player accepts none of the roles of this queue (${roles}).`
    : `This party of ${size} does not fit into one team: too many of its players accept only the same roles.`;
}

/** Hall's condition for the sets of seats that one kind of team or one role has. */
function tooFewFor(within: readonly ShapeTicket[], layout: Layout, refused: string): string | undefined {
  if (!layout.classes || layout.seatsMin < layout.seats) return undefined;
  const sets = new Map<string, number>();
  layout.classes.forEach(({ kind, role }, at) => {
    const name = layout.kinds[kind].name;
    const add = (what: string) => sets.set(what, (sets.get(what) ?? 0) | (1 << at));
    if (name !== undefined && layout.kinds.length > 1) add(`the team ${name}`);
    if (role !== undefined) add(`the role ${role}`);
    if (role !== undefined && name !== undefined) add(`the role ${role} in the team ${name}`);
  });
  for (const [what, set] of rolesTogether(layout)) sets.set(what, set);
  for (const [what, set] of sets) {
    let needed = 0;
    layout.classes.forEach(({ seats }, at) => {
      if ((set >> at) & 1) needed += seats;
    });
    const willing = countWilling(within, set, needed);
    if (willing < needed)
      return `Too few players accept ${what}: a match needs ${needed}, ${willing} available${refused}.`;
  }
  return undefined;
}

/** How many players can take some of these seats, as far as there are fewer than needed. */
function countWilling(within: readonly ShapeTicket[], set: number, needed: number): number {
  let willing = 0;
  for (const { classes } of within) {
    for (const mask of classes!) if ((mask & set) !== 0) willing++;
    if (willing >= needed) break;
  }
  return willing;
}

/** The sets of two or more roles of teams of one kind. */
function rolesTogether({ kinds, classes }: Layout): [string, number][] {
  if (kinds.length > 1 || classes![0].role === undefined || classes!.length > rolesMax) return [];
  const found: [string, number][] = [];
  for (let set = 1; set < 2 ** classes!.length; set++) {
    const names = classes!.filter((_, at) => (set >> at) & 1).map(({ role }) => role);
    if (names.length > 1) found.push([`one of the roles ${names.join(' and ')}`, set]);
  }
  return found;
}

/** Sets of more roles are not counted. */
const rolesMax = 8;

/** Whether the sizes of the parties make no full teams with this ticket. */
function incomplete(
  { size }: ShapeTicket,
  within: readonly ShapeTicket[],
  layout: Layout,
  refused: string,
): string | undefined {
  const { kinds, teams, seats, seatsMin } = layout;
  if (seats > mixedSeatsMax || seatsMin < seats || within.some(({ isSplit }) => isSplit)) return undefined;
  const counts = new Uint32Array(layout.partyMax + 1);
  for (const party of within) counts[party.size]++;
  const canBeMade = mixesOf(layout, seats).some(
    (mix) => mix[size] > 0 && mix.every((parties, of) => of === 0 || parties <= counts[of]),
  );
  if (canBeMade) return undefined;
  const what = size === 1 ? 'this ticket' : `this party of ${size}`;
  const named = kinds.length === 1 ? `${teams === 2 ? 'two' : teams} teams of ${kinds[0].size}` : 'the teams';
  return `The waiting parties do not add up to ${named} with ${what}${refused}.`;
}

/** Party mixes are counted in games of at most this many seats. */
const mixedSeatsMax = 16;

function namesOf({ kinds }: Layout): string {
  return kinds
    .map(({ name, size }) => (name === undefined ? `teams of ${size}` : `${name} of ${size}`))
    .join(', ');
}
