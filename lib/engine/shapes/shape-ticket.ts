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
}

/** @throws RangeError when the party is empty or larger than every team, or a skill is out of range. */
export function poolShapeTicket(ticket: Ticket, layout: Layout): ShapeTicket {
  const isSplit = ticket.split === true && ticket.players.length > 1;
  const pooled = poolTicket(ticket, isSplit ? layout.seats : layout.partyMax, undefined);
  const kinds =
    ticket.players.length === 1 && layout.kinds.length === 1 && layout.names === undefined
      ? theOnlyKind
      : Int32Array.from(ticket.players, (player) => kindsOf(player, layout));
  if (!isSplit && kinds !== theOnlyKind) {
    let together = kinds.reduce((a, b) => a & b);
    layout.kinds.forEach(({ size }, kind) => {
      if (size < pooled.size) together &= ~(1 << kind);
    });
    kinds.fill(together);
  }
  const classes =
    layout.classes && Int32Array.from(ticket.players, (player, i) => classesOf(player, kinds[i], layout));
  return { ...pooled, isSplit, kinds, classes };
}

/** The kinds of a solo player where all teams are of one kind and have no name. */
const theOnlyKind = Int32Array.of(1);

/** Whether the two are solo players who can take the same seats. */
export function areAlike(a: ShapeTicket, b: ShapeTicket): boolean {
  return a.size === 1 && b.size === 1 && a.classes?.[0] === b.classes?.[0];
}

function kindsOf({ teams }: Player, { kinds }: Layout): number {
  let mask = 0;
  kinds.forEach(({ name }, kind) => {
    if (teams === undefined || name === undefined || teams.includes(name)) mask |= 1 << kind;
  });
  return mask;
}

function classesOf({ roles }: Player, kinds: number, layout: Layout): number {
  let mask = 0;
  layout.classes!.forEach(({ kind, role }, at) => {
    const accepts = roles === undefined || role === undefined || roles.includes(role);
    if (accepts && (kinds >> kind) & 1) mask |= 1 << at;
  });
  return mask;
}
