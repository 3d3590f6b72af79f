import type { Provisioner } from '../service/ports/provisioner.ts';

/**
 * No assignment is expected. Matches of such a queue are COMPLETED immediately. A match that was already PLACING when
 * the queue's definition changed waits for its deadline or for an assignment from the studio.
 */
export const none: Provisioner = { place: async () => ({ outcome: 'left-to-studio' }) };
