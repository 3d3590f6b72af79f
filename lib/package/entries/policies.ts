/** Release policies, and a whole tick without its I/O: `import { planTick } from 'muster/policies'`. */
export * from '../../policies/plan.ts';
export * from '../../policies/policy.ts';
export type { ReleaseOptions } from '../../vocabulary/release-options.ts';
