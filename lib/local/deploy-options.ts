// For the commands, which know nothing of the stack.
export { type DeployContext, hasPush, rejectUnknown } from '../infra/cdk-context.ts';
