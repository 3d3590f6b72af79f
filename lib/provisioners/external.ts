import type { Provisioner } from '../service/ports/provisioner.ts';

/** The studio hosts the match itself and sends the assignment with PUT /matches/{matchId}/assignment. */
export const external: Provisioner = { place: async () => ({ outcome: 'left-to-studio' }) };
