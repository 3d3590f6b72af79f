/** The functions of custom rules and costs: `import type { CustomRule } from 'muster/rules'`. */
export type * from '../../rules/custom/types.ts';
