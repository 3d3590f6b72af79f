import highsModule, { type Highs } from 'highs';

/** The types of the package describe its CommonJS build. */
const loadHighs = highsModule as unknown as typeof highsModule.default;

/** A game as the program sees it: how often it contains which tickets. With several games, each counts by its fraction. */
export interface Column {
  /** By place in `instance.parts`. */
  readonly shares: ReadonlyMap<number, number>;
  readonly cost: number;
}

/** A game of these tickets, which may name a ticket more than once. */
export function gameColumn(members: readonly number[], cost: number): Column {
  const shares = new Map<number, number>();
  for (const at of members) shares.set(at, (shares.get(at) ?? 0) + 1);
  return { shares, cost };
}

/**
 * The linear program of covering: the least cost of fractions of games that contain every ticket at least once. Its dual
 * gives each ticket a price such that no known game costs less than the prices of its tickets. Games are added as they
 * are found, and each solution starts from the one before.
 */
export class CoverProgram {
  readonly #model: ReturnType<Highs['createModel']>;
  readonly #infinity: number;
  /** The cost of each game. */
  readonly #known = new Map<string, number>();
  /** In the order in which they were added. */
  readonly games: Column[] = [];

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

  /** Adds a game. Returns whether it is new, or costs less than before. */
  add(game: Column): boolean {
    const { shares, cost } = game;
    const entries = [...shares].sort((a, b) => a[0] - b[0]);
    const name = entries.map(([at, share]) => `${at}:${share.toFixed(6)}`).join();
    if (cost >= (this.#known.get(name) ?? Number.POSITIVE_INFINITY)) return false;
    this.#known.set(name, cost);
    this.#model.addCol(cost, 0, this.#infinity, {
      indices: entries.map(([at]) => at),
      values: entries.map(([, share]) => share),
    });
    this.games.push(game);
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
