import type { MatchView } from '../../contract/match.ts';

/** A match as it is stored. */
export interface StoredMatch extends Omit<MatchView, 'acceptance'> {
  readonly ticketIds: readonly string[];
  /** When its acceptance or its placement fails if nothing comes; ISO 8601. */
  readonly deadline?: string;
  /** The tickets that have accepted, while REQUIRES_ACCEPTANCE. */
  readonly accepted?: readonly string[];
}

export function toMatchView(match: StoredMatch): MatchView {
  const { ticketIds: _, deadline, accepted, ...view } = match;
  if (match.status !== 'REQUIRES_ACCEPTANCE' || deadline === undefined) return view;
  return { ...view, acceptance: { deadline, accepted: [...(accepted ?? [])].sort() } };
}
