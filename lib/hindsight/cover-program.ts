import highsModule, { type Highs } from 'highs';

/** The types of the package describe its CommonJS build. */
const loadHighs = highsModule as unknown as typeof highsModule.default;

/**
 * The linear program of covering: the least cost of fractions of games that contain every ticket at least once. Its dual
 * gives each ticket a price such that no known game costs less than the prices of its tickets. Games are added as they
 * are found, and each solution starts from the one before.
 */
export class CoverProgram {
  readonly #model: ReturnType<Highs['createModel']>;
  readonly #infinity: number;
  readonly #known = new Set<string>();
  games = 0;

  private constructor(highs: Highs, leaving: Float64Array) {
    this.#model = highs.createModel();
    this.#infinity = highs.infinity;
    this.#model.options.set({ output_flag: false, presolve: 'off', solver: 'simplex', simplex_strategy: 4 });
    for (let i = 0; i < leaving.length; i++)
      this.#model.addRow(1, highs.infinity, { indices: [], values: [] });
    for (let i = 0; i < leaving.length; i++)
      this.#model.addCol(leaving[i], 0, highs.infinity, { indices: [i], values: [1] });
  }

  /** @param leaving the cost of each ticket outside all games */
  static async of(leaving: Float64Array): Promise<CoverProgram> {
    return new CoverProgram(await loadHighs(), leaving);
  }

  /** Adds a game of these tickets. Returns whether it is new. */
  add(members: readonly number[], cost: number): boolean {
    const sorted = [...members].sort((a, b) => a - b);
    const name = sorted.join();
    if (this.#known.has(name)) return false;
    this.#known.add(name);
    this.#model.addCol(cost, 0, this.#infinity, { indices: sorted, values: sorted.map(() => 1) });
    this.games++;
    return true;
  }

  solve(): { readonly value: number; readonly prices: Float64Array } {
    this.#model.run();
    return { value: this.#model.getObjectiveValue(), prices: this.#model.getSolution().rowDual };
  }

  dispose(): void {
    this.#model.dispose();
  }
}
