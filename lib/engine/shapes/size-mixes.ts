import { fitsMix, teamMixes } from '../model/party-mixes.ts';
import type { Layout } from './layout.ts';
import type { ShapeTicket } from './shape-ticket.ts';

/**
 * Tells which parties still fit, by their sizes alone: a choice is hopeless when no party mix of a game's teams contains
 * it. Parties that may be split count as that many solo players. For games of up to 16 players.
 */
export class SizeMixes {
  readonly #layout: Layout;
  readonly #counts: Uint8Array;
  #mixes: readonly Uint8Array[] = [];
  #isNeeded = false;

  constructor(layout: Layout) {
    this.#layout = layout;
    this.#counts = new Uint8Array(layout.partyMax + 1);
  }

  /** Clears the choice, for games of n players of these tickets. */
  start(anchor: ShapeTicket, candidates: readonly ShapeTicket[], n: number): void {
    const available = new Uint32Array(this.#counts.length);
    this.#isNeeded = !isSolo(anchor) || !candidates.every(isSolo);
    this.#counts.fill(0);
    if (!this.#isNeeded) return;
    count(anchor, available, 1);
    for (const ticket of candidates) count(ticket, available, 1);
    this.#mixes = mixesOf(this.#layout, n).filter((mix) =>
      mix.every((parties, size) => size === 0 || parties <= available[size]),
    );
  }

  /** Whether the chosen and this ticket can be completed to full teams. */
  fits(ticket: ShapeTicket): boolean {
    if (!this.#isNeeded) return true;
    count(ticket, this.#counts, 1);
    const fits = fitsMix(this.#counts, this.#mixes);
    count(ticket, this.#counts, -1);
    return fits;
  }

  join(ticket: ShapeTicket): void {
    count(ticket, this.#counts, 1);
  }

  leave(ticket: ShapeTicket): void {
    count(ticket, this.#counts, -1);
  }
}

const isSolo = ({ size }: ShapeTicket) => size === 1;

function count({ size, isSplit }: ShapeTicket, counts: Uint8Array | Uint32Array, times: 1 | -1): void {
  if (isSplit) counts[1] += times * size;
  else counts[size] += times;
}

/** The party mixes of games of n players, each once. */
export function mixesOf(layout: Layout, n: number): readonly Uint8Array[] {
  let byPlayers = built.get(layout);
  if (!byPlayers) {
    byPlayers = build(layout);
    built.set(layout, byPlayers);
  }
  return byPlayers.get(n) ?? [];
}

const built = new WeakMap<Layout, Map<number, Uint8Array[]>>();

function build({ kinds, kindOf, partyMax }: Layout): Map<number, Uint8Array[]> {
  let games = new Map<string, Uint8Array>([['', new Uint8Array(partyMax + 1)]]);
  for (const kind of kindOf) {
    const more = new Map<string, Uint8Array>();
    const { size, minSize } = kinds[kind];
    for (const game of games.values()) {
      for (let players = minSize; players <= size; players++) {
        for (const team of teamMixes(players)) {
          const mix = game.map((parties, of) => parties + (team[of] ?? 0));
          more.set(mix.join(), mix);
        }
      }
    }
    games = more;
  }
  const byPlayers = new Map<number, Uint8Array[]>();
  for (const mix of games.values()) {
    const players = mix.reduce((sum, parties, size) => sum + parties * size, 0);
    byPlayers.set(players, [...(byPlayers.get(players) ?? []), mix]);
  }
  return byPlayers;
}
