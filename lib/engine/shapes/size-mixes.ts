import { teamMixes } from '../model/party-mixes.ts';
import type { Layout } from './layout.ts';
import type { ShapeTicket } from './shape-ticket.ts';

/**
 * Tells which parties still fit, by their sizes alone: a set of parties is hopeless when no party mix of a game's teams contains
 * it. Parties that may be split count as that many solo players. For games of up to 16 players.
 *
 * The mixes are a bit set, and so are those with at least c parties of each size. The mixes that contain the chosen parties are the common part of these sets.
 */
export class SizeMixes {
  readonly #layout: Room;
  /** The chosen parties by size. */
  readonly #counts: Uint8Array;
  #mixes: MixSets = noMixes;
  /** By number of tickets chosen: the mixes that contain them, among those that the candidates can form. */
  #open = new Int32Array(0);
  #chosen = 0;
  #isNeeded = false;
  #hasSplit = false;

  constructor(layout: Room) {
    this.#layout = layout;
    this.#counts = new Uint8Array(layout.partyMax + 1);
  }

  /** Starts without chosen parties, for games of n players of these tickets, or with those who are seated, of n others. */
  start(anchor: ShapeTicket | undefined, candidates: readonly ShapeTicket[], n: number): void {
    this.#counts.fill(0);
    this.#chosen = 0;
    this.#isNeeded = (anchor !== undefined && !isSolo(anchor)) || !candidates.every(isSolo);
    if (!this.#isNeeded) return;
    const available = new Uint32Array(this.#counts.length);
    this.#hasSplit = false;
    if (anchor) this.#add(anchor, available);
    for (const ticket of candidates) if (ticket !== anchor) this.#add(ticket, available);
    this.#mixes = mixSetsOf(this.#layout, n);
    const { words } = this.#mixes;
    if (this.#open.length < words * (n + 2)) this.#open = new Int32Array(words * (n + 2));
    this.#open.fill(-1, 0, words);
    for (let size = 1; size < available.length; size++) {
      const more = this.#mixes.atLeast(size, available[size] + 1);
      for (let word = 0; word < words; word++) this.#open[word] &= ~this.#mixes.bits[more + word];
    }
  }

  /** Whether the chosen and this ticket can be completed to full teams. */
  fits(ticket: ShapeTicket): boolean {
    if (!this.#isNeeded) return true;
    const { bits, words } = this.#mixes;
    const from = this.#chosen * words;
    const row = this.#rowWith(ticket);
    for (let word = 0; word < words; word++)
      if ((this.#open[from + word] & bits[row + word]) !== 0) return true;
    return false;
  }

  join(ticket: ShapeTicket): void {
    if (!this.#isNeeded) return;
    const { bits, words } = this.#mixes;
    const from = this.#chosen * words;
    const row = this.#rowWith(ticket);
    for (let word = 0; word < words; word++)
      this.#open[from + words + word] = this.#open[from + word] & bits[row + word];
    this.#chosen++;
    if (ticket.isSplit) this.#counts[1] += ticket.size;
    else this.#counts[ticket.size]++;
  }

  leave(ticket: ShapeTicket): void {
    if (!this.#isNeeded) return;
    this.#chosen--;
    if (ticket.isSplit) this.#counts[1] -= ticket.size;
    else this.#counts[ticket.size]--;
  }

  /** The mixes with as many parties as are chosen with this ticket, of its size. */
  #rowWith(ticket: ShapeTicket): number {
    const { size } = ticket;
    if (this.#hasSplit && ticket.isSplit) return this.#mixes.atLeast(1, this.#counts[1] + size);
    return this.#mixes.atLeast(size, this.#counts[size] + 1);
  }

  #add({ size, isSplit }: ShapeTicket, available: Uint32Array): void {
    if (isSplit) {
      this.#hasSplit = true;
      available[1] += size;
    } else available[size]++;
  }
}

const isSolo = ({ size }: ShapeTicket) => size === 1;

/** The seats of the teams that are to be filled. */
export type Room = Pick<Layout, 'kindOf' | 'partyMax'> & {
  readonly kinds: readonly Pick<Layout['kinds'][number], 'size' | 'minSize'>[];
};

/** The party mixes of games of n players as bits, 32 in a word. */
class MixSets {
  readonly words: number;
  /** By size and number of parties: the mixes with at least as many. */
  readonly bits: Int32Array;
  readonly #most: number;

  constructor(mixes: readonly Uint8Array[], sizes: number, n: number) {
    this.words = Math.max(1, Math.ceil(mixes.length / 32));
    this.#most = n + 1;
    this.bits = new Int32Array(sizes * (this.#most + 1) * this.words);
    mixes.forEach((mix, m) => {
      for (let size = 1; size < sizes; size++)
        for (let parties = 0; parties <= mix[size]; parties++)
          this.bits[this.atLeast(size, parties) + (m >> 5)] |= 1 << (m & 31);
    });
  }

  /** Where in `bits` the mixes with at least this number of parties of a size begin. */
  atLeast(size: number, parties: number): number {
    return (size * (this.#most + 1) + Math.min(parties, this.#most)) * this.words;
  }
}

const noMixes = new MixSets([], 0, 0);

function mixSetsOf(layout: Room, n: number): MixSets {
  let byPlayers = setsBuilt.get(layout);
  if (!byPlayers) {
    byPlayers = new Map();
    setsBuilt.set(layout, byPlayers);
  }
  let sets = byPlayers.get(n);
  if (!sets) {
    sets = new MixSets(mixesOf(layout, n), layout.partyMax + 1, n);
    byPlayers.set(n, sets);
  }
  return sets;
}

const setsBuilt = new WeakMap<Room, Map<number, MixSets>>();

/** The party mixes of games of n players, each once. */
export function mixesOf(layout: Room, n: number): readonly Uint8Array[] {
  let byPlayers = built.get(layout);
  if (!byPlayers) {
    byPlayers = build(layout);
    built.set(layout, byPlayers);
  }
  return byPlayers.get(n) ?? [];
}

const built = new WeakMap<Room, Map<number, Uint8Array[]>>();

function build({ kinds, kindOf, partyMax }: Room): Map<number, Uint8Array[]> {
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
  return Map.groupBy(games.values(), (mix) => mix.reduce((sum, parties, size) => sum + parties * size, 0));
}
