import type { MatchStatus } from '../../contract/match.ts';
import type { ProvisionerOptions, QueueDefinition } from '../../contract/queue-definition.ts';

/** A status of a match, and when it fails if nothing comes. */
export interface Stage<Status extends MatchStatus = MatchStatus> {
  readonly status: Status;
  /** ISO 8601; absent when nothing is waited for. */
  readonly deadline?: string;
}

/** Where a match begins: with the first thing that still has to happen. */
export function firstStatus(definition: QueueDefinition, nowMs: number): Stage {
  if (definition.acceptance === undefined) return statusAfterAcceptance(definition, nowMs);
  return { status: 'REQUIRES_ACCEPTANCE', deadline: isoAfter(nowMs, definition.acceptance.timeoutSeconds) };
}

/** Where a match goes once everybody plays: to its provisioner, or straight to its end. */
export function statusAfterAcceptance(
  definition: QueueDefinition,
  nowMs: number,
): Stage<'PLACING' | 'COMPLETED'> {
  const seconds = placementTimeoutSeconds(definition.provisioner);
  if (seconds === undefined) return { status: 'COMPLETED' };
  return { status: 'PLACING', deadline: isoAfter(nowMs, seconds) };
}

/** Seconds a match of this queue may stay PLACING; undefined when nothing is provisioned. */
function placementTimeoutSeconds(provisioner: ProvisionerOptions | undefined): number | undefined {
  if (provisioner === undefined || provisioner.type === 'none') return undefined;
  return provisioner.timeoutSeconds ?? 300;
}

function isoAfter(nowMs: number, seconds: number): string {
  return new Date(nowMs + seconds * 1_000).toISOString();
}
