import type { StateGroup } from './state-group.ts';

/** An `anyOf` rule: the states of all its rules. It admits a ticket while one of them does. */
export class AnyOfState implements StateGroup {
  readonly #alternatives: readonly StateGroup[];
  /** By ticket: whether the rule is off for games of tickets of its age. */
  readonly #isOff: (ticket: number) => boolean;
  /** By depth: the alternatives that the joined tickets meet, as a bit set, and whether the rule is off for all of them. */
  readonly #open: Int32Array;
  readonly #off: Uint8Array;
  #depth = 0;

  constructor(alternatives: readonly StateGroup[], isOff: (ticket: number) => boolean, depthMax: number) {
    this.#alternatives = alternatives;
    this.#isOff = isOff;
    this.#open = new Int32Array(depthMax + 1);
    this.#off = new Uint8Array(depthMax + 1);
  }

  start(): void {
    this.#depth = 0;
    this.#open[0] = (1 << this.#alternatives.length) - 1;
    this.#off[0] = 1;
    for (const alternative of this.#alternatives) alternative.start();
  }

  admits(ticket: number): boolean {
    if (this.#off[this.#depth] && this.#isOff(ticket)) return true;
    const open = this.#open[this.#depth];
    return this.#alternatives.some((alternative, i) => (open >> i) & 1 && alternative.admits(ticket));
  }

  join(ticket: number): void {
    const depth = this.#depth++;
    const before = this.#open[depth];
    let open = 0;
    this.#alternatives.forEach((alternative, i) => {
      if (!((before >> i) & 1) || !alternative.admits(ticket)) return;
      alternative.join(ticket);
      open |= 1 << i;
    });
    this.#open[depth + 1] = open;
    this.#off[depth + 1] = this.#off[depth] && this.#isOff(ticket) ? 1 : 0;
  }

  leave(ticket: number): void {
    const open = this.#open[this.#depth--];
    this.#alternatives.forEach((alternative, i) => {
      if ((open >> i) & 1) alternative.leave(ticket);
    });
  }
}
