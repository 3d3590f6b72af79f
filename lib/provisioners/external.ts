import type { Provisioner } from '../service/ports/provisioner.ts';

/** The studio hosts the match on its own and sends the assignment: PUT /matches/{matchId}/assignment. */
export const external: Provisioner = async () => ({ outcome: 'left-to-studio' });
