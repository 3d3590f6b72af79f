import type { QueueDefinition } from '../contract/queue-definition.ts';
import type { Ticket } from '../engine/types.ts';
import type { ReproduceOptions, Reproduction } from './papers/finding.ts';
import type { Plot } from './papers/plots.ts';

export { textOf } from './reproduction-text.ts';

export type Paper = 'alman' | 'wu' | 'xu' | 'schlup' | 'switchback' | 'ratings';

/** Each is loaded on use, so that one paper does not wait for another. */
const PAPERS: Readonly<Record<Paper, () => Promise<(options: ReproduceOptions) => Reproduction>>> = {
  alman: async () => (await import('./papers/alman/alman.ts')).reproduceAlman,
  wu: async () => (await import('./papers/wu/wu.ts')).reproduceWu,
  xu: async () => (await import('./papers/xu/xu.ts')).reproduceXu,
  schlup: async () => (await import('./papers/schlup/schlup.ts')).reproduceSchlup,
  switchback: async () => (await import('./papers/switchback/switchback.ts')).reproduceSwitchback,
  ratings: async () => (await import('./papers/elo-mmr/elo-mmr.ts')).reproduceEloMmr,
};

/** Compares the figures of a paper with ours: docs/research/papers.md. */
export async function reproducePaper(paper: Paper, options: ReproduceOptions): Promise<Reproduction> {
  const reproduce = await PAPERS[paper]();
  return reproduce(options);
}

/** What `bounds` measures. */
export interface BoundsOptions extends ReproduceOptions {
  /** A queue and its tickets. @default the standard scenarios */
  readonly measured?:
    | { readonly definition: QueueDefinition; readonly tickets: readonly Ticket[] }
    | undefined;
}

/** Compares `option-value` with the bound on every schedule: docs/research/bounds.md. */
export async function reproduceBounds({ players, seed, measured }: BoundsOptions): Promise<Reproduction> {
  const hindsight = await import('./hindsight/bounds.ts');
  const scenarios =
    measured === undefined
      ? hindsight.standardScenarios(players, seed)
      : [hindsight.scenarioOfTickets(measured.definition, measured.tickets, players)];
  return hindsight.reproduceBounds(scenarios, { players, seed });
}

/** The plots of a paper, as SVG. */
export async function plotsOf(result: Reproduction): Promise<Plot[]> {
  return (await import('./papers/plots.ts')).plotsOf(result);
}
