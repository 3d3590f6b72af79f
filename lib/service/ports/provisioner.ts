import type { Assignment } from '../../contract/match.ts';
import type { ProvisionerOptions } from '../../contract/queue-definition.ts';
import type { StoredMatch } from '../placement/stored-match.ts';

/**
 * Produces the assignment of a match. It may be called again for the same match after a crash and must then return the
 * same assignment. The match's id is the idempotency key.
 */
export type Provisioner = (match: StoredMatch) => Promise<Provision>;

/** What a provisioner returns for a match. */
export type Provision =
  | { outcome: 'assigned'; assignment: Assignment }
  /** Muster requests nothing: the studio sends the assignment, or there is none. */
  | { outcome: 'left-to-studio' }
  /** A retry may succeed. */
  | { outcome: 'retry'; why: string }
  /** A retry cannot succeed, so the match fails. */
  | { outcome: 'refused'; why: string };

/** Finds the provisioner of a queue by the definition's `provisioner`. */
export type Provisioners = (options: ProvisionerOptions) => Provisioner;
