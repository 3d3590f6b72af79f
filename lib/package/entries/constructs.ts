/** Muster for a CDK app: `import { Matchmaker } from 'muster'`. */
export type { JwtOptions } from '../../infra/api.ts';
export type { LimitProps } from '../../infra/limits.ts';
export { Matchmaker, type MatchmakerProps } from '../../infra/matchmaker.ts';
export { MusterStack, type MusterStackProps } from '../../infra/muster-stack.ts';
export type { Stage } from '../../infra/stage-policy.ts';
