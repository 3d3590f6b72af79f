/** Queues in virtual time: `import { simulate } from 'muster/simulation'`. */
export type { QueueDefinition } from '../../contract/queue-definition.ts';
export * from '../../costs/usage-costs.ts';
export * from '../../simulation/arrivals.ts';
export * from '../../simulation/estimate-cost.ts';
export * from '../../simulation/measures.ts';
export * from '../../simulation/population.ts';
export * from '../../simulation/random.ts';
export * from '../../simulation/simulate.ts';
export * from '../../simulation/traffic.ts';
export * from '../../simulation/tune.ts';
