/** The friends who press "find match" together, as the game knows them. */
export interface Party {
  readonly id: string;
  readonly members: readonly {
    readonly id: string;
    readonly rank: number;
    readonly modes: readonly string[];
    /** Milliseconds by region. */
    readonly pings: Readonly<Record<string, number>>;
  }[];
}
