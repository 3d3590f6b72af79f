import type { Provisioners } from '../service/ports/provisioner.ts';
import { external } from './external.ts';
import { type HttpProvisionerDeps, httpProvisioner } from './http.ts';
import { none } from './none.ts';

/** Every provisioner that a queue definition can name, by its `type`. */
export function provisioners(deps: HttpProvisionerDeps): Provisioners {
  return (options) => {
    switch (options.type) {
      case 'none':
        return none;
      case 'external':
        return external;
      case 'http':
        return httpProvisioner(deps, options);
    }
  };
}
