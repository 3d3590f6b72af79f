import type { Provisioner, Provisioners } from '../service/ports/provisioner.ts';
import { agonesProvisioner } from './agones.ts';
import { external } from './external.ts';
import { type GameLiftDeps, gameLiftProvisioner } from './gamelift.ts';
import { type HttpProvisionerDeps, httpProvisioner } from './http.ts';
import { none } from './none.ts';

/** What a function has access to. It leaves matches alone whose provisioner needs something else. */
export interface ProvisionersDeps {
  /** For `http` and `agones`. */
  readonly overHttp?: HttpProvisionerDeps;
  readonly gameLift?: GameLiftDeps;
}

/** Every provisioner that a queue definition can name, by its `type`. */
export function provisioners({ overHttp, gameLift }: ProvisionersDeps): Provisioners {
  return (options): Provisioner => {
    switch (options.type) {
      case 'none':
        return none;
      case 'external':
        return external;
      case 'http':
        return overHttp === undefined ? none : httpProvisioner(overHttp, options);
      case 'agones':
        return overHttp === undefined ? none : agonesProvisioner(overHttp, options);
      case 'gamelift':
        return gameLift === undefined ? none : gameLiftProvisioner(gameLift, options);
    }
  };
}
