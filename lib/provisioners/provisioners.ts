import type { Provisioner, Provisioners } from '../service/ports/provisioner.ts';
import { agonesProvisioner } from './agones.ts';
import { type GameLiftDeps, gameLiftProvisioner } from './gamelift.ts';
import { type HttpProvisionerDeps, httpProvisioner } from './http.ts';

/** The access that a function has. It skips matches whose provisioner needs other access. */
export interface ProvisionersDeps {
  /** For `http` and `agones`. */
  readonly overHttp?: HttpProvisionerDeps;
  readonly gameLift?: GameLiftDeps;
}

/**
 * Muster requests nothing. The studio hosts the match itself and sends the assignment with PUT /matches/{matchId}/assignment, or
 * none is expected. Matches of a queue without provisioner are COMPLETED immediately. A match that was already PLACING when the
 * definition changed waits for its deadline or for an assignment from the studio.
 */
const NONE: Provisioner = { place: async () => ({ outcome: 'left-to-studio' }) };

/** Every provisioner that a queue definition can name, by its `type`. */
export function provisioners({ overHttp, gameLift }: ProvisionersDeps): Provisioners {
  return (options): Provisioner => {
    switch (options.type) {
      case 'none':
      case 'external':
        return NONE;
      case 'http':
        return overHttp === undefined ? NONE : httpProvisioner(overHttp, options);
      case 'agones':
        return overHttp === undefined ? NONE : agonesProvisioner(overHttp, options);
      case 'gamelift':
        return gameLift === undefined ? NONE : gameLiftProvisioner(gameLift, options);
    }
  };
}
