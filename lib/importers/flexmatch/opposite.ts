import { isOverGame } from '../../rules/measures.ts';
import type { InnerRule } from '../../rules/rule-types.ts';
import { nextNumber } from '../relaxation.ts';

/** What stands for the opposite of a rule. */
export interface Opposite {
  /** At least one of these has to hold. */
  readonly anyOf: readonly InnerRule[];
  /** The difference, when they are stricter than the opposite. */
  readonly note?: string;
}

/**
 * Rules of which one has to hold so that this one does not; undefined when there are none.
 *
 * @param several the kinds of which there are several teams
 */
export function oppositeOf(rule: InnerRule, several: readonly string[]): Opposite | undefined {
  // That one of several teams breaks the rule has no counterpart.
  if (teamsIn(rule).some((team) => several.includes(team))) return undefined;
  switch (rule.type) {
    case 'count':
      return oppositeOfCount(rule);
    case 'compare': {
      const { left, right, op } = rule;
      if (typeof right !== 'number' || op === undefined) return undefined;
      const above = { type: 'compare', left, op: '>=', right: nextNumber(right, 1) } as const;
      const below = { type: 'compare', left, op: '<=', right: nextNumber(right, -1) } as const;
      return { anyOf: op === '<=' ? [above] : op === '>=' ? [below] : [above, below] };
    }
    case 'same':
    case 'different': {
      const { type, note } = OPPOSITE_VALUES[rule.type];
      return isOverGame(rule) ? { anyOf: [{ type, attribute: rule.attribute }], note } : undefined;
    }
    default:
      return undefined;
  }
}

const OPPOSITE_VALUES = {
  same: { type: 'different', note: 'all values are different; the original wants two that differ' },
  different: { type: 'same', note: 'all values are the same; the original wants two that are the same' },
} as const;

function oppositeOfCount(rule: InnerRule & { type: 'count' }): Opposite | undefined {
  const { type, attribute, value, atLeast = 0, atMost, scope, team } = rule;
  if (scope === 'team') return undefined;
  const base = { type, attribute, value, ...(team !== undefined && { team }) };
  return {
    anyOf: [
      ...(atLeast > 0 ? [{ ...base, atMost: atLeast - 1 }] : []),
      ...(atMost !== undefined ? [{ ...base, atLeast: atMost + 1 }] : []),
    ],
  };
}

/** The kinds of team that a rule names. */
function teamsIn(rule: InnerRule): string[] {
  const parts: readonly unknown[] = rule.type === 'compare' ? [rule.left, rule.right] : [rule];
  return parts.flatMap((part) => (part as { readonly team?: string }).team ?? []);
}
