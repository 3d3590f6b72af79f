import type { CustomRule } from '../../../lib/rules/custom/types.ts';

/** The functions of the hostile tenant's custom rules. */
export const throws: CustomRule = () => {
  throw new Error('a fault of the hostile tenant');
};

export const hangs: CustomRule = ({ players }) => {
  // The condition is always true, and the compiler cannot know it.
  while (players.length > 0);
  return true;
};
