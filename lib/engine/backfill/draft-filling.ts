import { mayMeet } from '../model/forbids.ts';
import type { SearchClock } from '../model/search-clock.ts';
import { Balancer } from '../shapes/balancer.ts';
import { Draft } from '../shapes/draft.ts';
import { Permit } from '../shapes/permit.ts';
import { permittedGame } from '../shapes/permitted-game.ts';
import type { ShapedGame } from '../shapes/shape-game.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';
import type { Constraints, Forbids } from '../types.ts';
import type { Opening } from './opening.ts';

/**
 * The game of a running game with the tickets that are placed into its empty seats one by one, the nearest first or else the
 * largest, and then balanced. For openings of more than 16 seats. It proves nothing.
 *
 * @param near the tickets that may come, the nearest first
 * @param mayBeShort whether seats beyond the minimum of each team may stay empty
 */
export function draftFilling(
  { layout, rules, seated }: Opening,
  near: readonly ShapeTicket[],
  mayBeShort: boolean,
  forbids: Forbids | undefined,
  constraints: Constraints | undefined,
  clock: SearchClock,
): ShapedGame | undefined {
  const permit = constraints && new Permit(constraints, undefined, layout.teams);
  const mayBeMates = permit?.judgesTeams ? permit.mayBeMates.bind(permit) : undefined;
  const sizes = layout.kindOf.map((kind) => layout.kinds[kind].size);
  for (const isTight of [false, true]) {
    const order = isTight ? near.toSorted((a, b) => b.size - a.size) : near;
    const draft = new Draft(layout, seated.mean, sizes, isTight, mayBeMates);
    draft.place(seated);
    permit?.begin([seated]);
    const came: ShapeTicket[] = [];
    for (const ticket of order) {
      if (draft.isFull || clock.isOver(1 + (came.length >> 3))) break;
      if (!mayMeet(ticket, came, forbids) || permit?.admits(ticket) === false || !draft.place(ticket))
        continue;
      permit?.join(ticket);
      came.push(ticket);
    }
    if (!draft.isFull) {
      if (!mayBeShort || came.length === 0 || !draft.hasMinimum) continue;
      draft.close();
    }
    const spare = near.filter((ticket) => !draft.members.has(ticket)).slice(0, replacements);
    const game = new Balancer(rules, forbids, permit, clock).balance(draft, spare);
    const permitted = permit ? permittedGame(draft, spare, rules, forbids, permit, clock) : game;
    if (permitted) return permitted;
  }
  return undefined;
}

/** The tickets in no game that may replace others. */
const replacements = 24;
