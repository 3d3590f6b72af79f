/** The search for the best games: `import { GamePool } from 'muster/engine'`. */
export * from '../../engine/game-pool.ts';
export type * from '../../engine/types.ts';
