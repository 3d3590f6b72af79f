import { type PooledTicket, poolTicket } from '../model/pooled-ticket.ts';
import type { Player, Ticket } from '../types.ts';
import type { Layout } from './layout.ts';

/** A waiting ticket with the values that searches for games of any shape need. */
export interface ShapeTicket extends PooledTicket {
  /** Whether its players may be divided over teams. They then count as that many solo players. */
  readonly isSplit: boolean;
  /** The kinds of team, as a bit set, that each player accepts. A party that stays together accepts what all accept. */
  readonly kinds: Int32Array;
  /** The classes of seats, as a bit set, that each player can take; undefined when the layout has none. */
  readonly classes: Int32Array | undefined;
  /** The team of each player, of those who are in a running game. They stay there. @default none is seated */
  readonly teams?: Int32Array | undefined;
}

/** @throws RangeError when the party is empty or larger than every team, or a skill is out of range. */
export function poolShapeTicket(ticket: Ticket, layout: Layout): ShapeTicket {
  const isSplit = ticket.split === true && ticket.players.length > 1;
  const pooled = poolTicket(ticket, isSplit ? layout.seats : layout.partyMax);
  const kinds = kindsOfPlayers(ticket, isSplit, layout);
  const classes = layout.classes && masksOf(ticket, (player, i) => classesOf(player, kinds[i], layout));
  const { size, skills, mean, low, high, spread } = pooled;
  return { ticket, size, skills, mean, low, high, spread, isSplit, kinds, classes };
}

function kindsOfPlayers(ticket: Ticket, isSplit: boolean, layout: Layout): Int32Array {
  const { kinds, names } = layout;
  const areAlike = kinds.length === 1 && names === undefined;
  if (isSplit || areAlike) return masksOf(ticket, (player) => kindsOf(player, layout));
  let together = 2 ** kinds.length - 1;
  for (const player of ticket.players) together &= kindsOf(player, layout);
  for (let kind = 0; kind < kinds.length; kind++)
    if (kinds[kind].size < ticket.players.length) together &= ~(1 << kind);
  return masksOf(ticket, () => together);
}

/** The masks of the players. Those of one player are shared, because most tickets have one. */
function masksOf({ players }: Ticket, maskOf: (player: Player, i: number) => number): Int32Array {
  if (players.length > 1) {
    const masks = new Int32Array(players.length);
    for (let i = 0; i < masks.length; i++) masks[i] = maskOf(players[i], i);
    return masks;
  }
  const mask = maskOf(players[0], 0);
  let shared = ofOnePlayer.get(mask);
  if (shared === undefined) {
    shared = Int32Array.of(mask);
    if (ofOnePlayer.size >= sharedMax) ofOnePlayer.clear();
    ofOnePlayer.set(mask, shared);
  }
  return shared;
}

const ofOnePlayer = new Map<number, Int32Array>();

/** The maximum of shared masks: players choose any of the sets of up to 30 roles. */
const sharedMax = 1024;

/** Whether the two are solo players who can take the same seats. */
export function areAlike(a: ShapeTicket, b: ShapeTicket): boolean {
  return a.size === 1 && b.size === 1 && a.classes?.[0] === b.classes?.[0];
}

function kindsOf({ teams }: Player, { kinds, names }: Layout): number {
  let mask = 2 ** kinds.length - 1;
  if (teams === undefined || names === undefined) return mask;
  for (let kind = 0; kind < kinds.length; kind++)
    if (!teams.includes(kinds[kind].name!)) mask &= ~(1 << kind);
  return mask;
}

function classesOf({ roles }: Player, kinds: number, layout: Layout): number {
  const classes = layout.classes!;
  let mask = 0;
  for (let at = 0; at < classes.length; at++) {
    const { kind, role } = classes[at];
    const accepts = roles === undefined || role === undefined || roles.includes(role);
    if (accepts && (kinds >> kind) & 1) mask |= 1 << at;
  }
  return mask;
}
