import { Option } from '@commander-js/extra-typings';
import { type DeployContext, hasPush, rejectUnknown } from '../local/deploy-options.ts';
import { InvalidInput } from './failure.ts';

/** The option `-c`, as `cdk deploy` has it. */
export function contextOption() {
  return new Option(
    '-c, --context <name=value>',
    'option of a deployment, such as push=false; repeat it for more',
  )
    .argParser((text: string, others: DeployContext): DeployContext => {
      const [, name, value] = /^([^=]+)=(.*)$/.exec(text) ?? [];
      if (name === undefined)
        throw new InvalidInput(`-c: expected name=value, such as push=false, got "${text}"`);
      const context = { ...others, [name]: value };
      try {
        rejectUnknown(context);
        hasPush(context);
      } catch (error) {
        throw new InvalidInput((error as Error).message);
      }
      return context;
    })
    .default({}, 'those in cdk.json');
}
