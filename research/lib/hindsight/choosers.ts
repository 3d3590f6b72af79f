import { type GameRules, layoutOf, partyMixes, poolShapeTicket } from 'muster/engine';
import { type Chooser, SizeChooser } from './chooser.ts';
import type { Instance } from './instance.ts';
import { RoleChooser } from './role-chooser.ts';

/** How tickets fill a game. */
export interface Choosers {
  /** The kind of each ticket, for the choosers. */
  readonly kinds: Uint8Array;
  /** For games without a party that fills a team, if there is a chooser for teams. For all games otherwise. */
  readonly game: Chooser;
  /** For the team against a party that fills the other one; undefined when such games cost as little as others. */
  readonly team?: Chooser;
}

/** Choosers for two equal teams. With parties, roles are ignored: the bound then also holds for games that lack some. */
export function choosersOf(rules: GameRules, { parts, seats, gapCost }: Instance): Choosers {
  const layout = layoutOf(rules);
  const isSolo = parts.every(({ size }) => size === 1);
  if (layout.classes && isSolo) {
    const kinds = Uint8Array.from(parts, ({ ticket }) => poolShapeTicket(ticket, layout).classes![0]);
    return { kinds, game: new RoleChooser(rules, seats) };
  }
  const kinds = Uint8Array.from(parts, ({ size }) => size);
  const mixes = partyMixes(layout, seats).filter((mix) => !isSolo || mix[1] === seats);
  const half = seats / 2;
  if (gapCost === 0 || !kinds.includes(half)) return { kinds, game: new SizeChooser(mixes) };
  return {
    kinds,
    game: new SizeChooser(mixes.filter((mix) => (mix[half] ?? 0) === 0)),
    team: new SizeChooser(teamMixes(half)),
  };
}

/** The mixes of tickets that fill a team: `mix[s]` of size s. */
function teamMixes(seats: number): Uint8Array[] {
  const mixes: Uint8Array[] = [];
  const mix = new Uint8Array(seats + 1);
  const fill = (left: number, sizeMax: number): void => {
    if (left === 0) mixes.push(mix.slice());
    for (let size = Math.min(left, sizeMax); size > 0; size--) {
      mix[size]++;
      fill(left - size, size);
      mix[size]--;
    }
  };
  fill(seats, seats);
  return mixes;
}
