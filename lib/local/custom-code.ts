/** The bundle of the studio's module, for commands that search in their own process. */
export { bundleCode } from '../infra/custom-code.ts';
