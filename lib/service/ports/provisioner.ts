import type { Assignment } from '../../contract/match.ts';
import type { ProvisionerOptions, QueueDefinition } from '../../contract/queue-definition.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { GameSessionPlacement } from './game-sessions.ts';

/** Produces the assignments of matches, and frees servers that no match needs. */
export interface Provisioner {
  /**
   * Requests the assignment of a match, or asks about the progress of an earlier request. It may be called again for the same
   * match after a crash, and concurrently, and must then find the same server. The match's id is the idempotency key.
   * @param news the report of an event about a game session placement of this match
   */
  place(match: StoredMatch, definition: QueueDefinition, news?: GameSessionPlacement): Promise<Provision>;
  /**
   * Frees a server that was requested for a match and is not used by it: the match FAILED, or it has an assignment from
   * elsewhere. It may be called again. Absent when the provisioner cannot free servers.
   * @param unused the assignment that came too late, if known
   */
  release?(match: StoredMatch, unused?: Assignment): Promise<Release>;
}

/** What a provisioner returns for a match. */
export type Provision =
  | { outcome: 'assigned'; assignment: Assignment }
  /** Muster requests nothing: the studio sends the assignment, or there is none. */
  | { outcome: 'left-to-studio' }
  /** The request is accepted and takes time. `afterMs`: when to ask again if no event arrives. */
  | { outcome: 'pending'; why: string; afterMs: number }
  /** A retry may succeed. */
  | { outcome: 'retry'; why: string }
  /**
   * A retry cannot succeed, so the match fails. Players can read `why`, so it must contain no address, secret or text of another
   * system. Those go into `detail`, which is only logged.
   */
  | { outcome: 'refused'; why: string; detail?: string };

/** `released`: no server runs for the match except that of its own assignment. */
export type Release = { outcome: 'released' } | { outcome: 'retry'; why: string };

/** Finds the provisioner of a queue by the definition's `provisioner`. */
export type Provisioners = (options: ProvisionerOptions) => Provisioner;
