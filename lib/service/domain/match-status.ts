import type { MatchStatus } from '../../contract/match.ts';
import type { ProvisionerOptions, QueueDefinition } from '../../contract/queue-definition.ts';

/** A status of a match and its deadline. */
export interface Stage<Status extends MatchStatus = MatchStatus> {
  readonly status: Status;
  /** ISO 8601; absent when the match needs neither acceptance nor an assignment. */
  readonly deadline?: string;
  /** See `StoredMatch.byPlayer`. */
  readonly byPlayer?: true;
}

/** The first status of a match, which depends on the definition of its queue. */
export function firstStatus(definition: QueueDefinition, nowMs: number): Stage {
  const { acceptance } = definition;
  if (acceptance === undefined) return statusAfterAcceptance(definition, nowMs);
  return {
    status: 'REQUIRES_ACCEPTANCE',
    deadline: isoAfter(nowMs, acceptance.timeoutSeconds),
    ...(acceptance.by === 'player' && { byPlayer: true }),
  };
}

/** The status after acceptance: PLACING with a provisioner, otherwise COMPLETED. */
export function statusAfterAcceptance(
  definition: QueueDefinition,
  nowMs: number,
): Stage<'PLACING' | 'COMPLETED'> {
  const { provisioner } = definition;
  if (provisioner === undefined || provisioner.type === 'none') return { status: 'COMPLETED' };
  return { status: 'PLACING', deadline: isoAfter(nowMs, placementSecondsOf(provisioner)) };
}

/** Seconds that a match may stay PLACING. */
export function placementSecondsOf(provisioner: Exclude<ProvisionerOptions, { type: 'none' }>): number {
  return provisioner.timeoutSeconds ?? 300;
}

function isoAfter(nowMs: number, seconds: number): string {
  return new Date(nowMs + seconds * 1_000).toISOString();
}
