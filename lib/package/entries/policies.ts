/** Release policies, and a whole tick without its I/O: `import { planTick } from 'muster/policies'`. */
export * from '../../policies/plan.ts';
export type * from '../../policies/policy.ts';
