import type { Rule } from '../rules/rule-types.ts';
import { SKILL } from '../rules/values.ts';
import { InvalidInput } from '../vocabulary/invalid-input.ts';
import { queueName, ruleName, uniqueName } from './names.ts';
import { type ConvertedRule, type ExpansionStep, relaxed } from './relaxation.ts';

/** A team of the definition, or several of one kind. */
export interface DraftTeam {
  readonly name: string;
  /** The fewest and the most players. */
  readonly least: number;
  readonly most: number;
  /** @default 1 */
  readonly count?: number;
}

/** The imbalance of an empty seat: more than skills differ, so that a larger match always goes before a smaller one. */
const EMPTY_SEAT_COST = 1_000_000;

/** The rules of a definition while the import adds them. */
export class DraftRules {
  readonly #rules: Rule[] = [];
  readonly #names = new Set<string>();

  get all(): readonly Rule[] {
    return this.#rules;
  }

  /** Adds rules with their relaxations. @returns why they are only nearly the same */
  add(
    name: string,
    converted: readonly ConvertedRule[],
    stepsOf: (property: string) => readonly ExpansionStep[],
  ): string[] {
    return converted.flatMap((one) => {
      const { rule, differs } = relaxed(one, stepsOf);
      if (rule !== undefined) this.push(name, rule);
      return [...differs.values()];
    });
  }

  push(name: string, body: object): void {
    this.#rules.push({ name: uniqueName(ruleName(name), this.#names, ' '), ...body } as Rule);
  }
}

/** A definition in which the other matchmaker's way is kept: larger matches go first, and each is released at once. */
export function definitionOf(parts: {
  readonly name: string | undefined;
  /** In the source. */
  readonly fallbackName: string | undefined;
  readonly teams: readonly DraftTeam[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly rules: readonly Rule[];
  readonly timeoutSeconds: number;
  readonly more?: Readonly<Record<string, unknown>>;
}): Record<string, unknown> {
  const { name, fallbackName, teams, attributes, rules, timeoutSeconds, more } = parts;
  const isShort = teams.some(({ least, most }) => least < most);
  return {
    name: name ?? queueName(fallbackName),
    teams: teams.map(({ name: own, least, most, count = 1 }) => ({
      name: own,
      size: most,
      ...(count > 1 && { count }),
      ...(least < most && { minSize: least }),
    })),
    ...(isShort && { short: { afterSeconds: 0, cost: EMPTY_SEAT_COST } }),
    ...(Object.keys(attributes).length > 0 && { attributes }),
    ...(rules.length > 0 && { rules }),
    ...more,
    imbalance: { alpha: 1, p: 1, q: 2 },
    release: { policy: 'greedy' },
    tickSeconds: 1,
    timeoutSeconds,
  };
}

/** How the players of a party count, by its name in FlexMatch and in PlayFab. */
export const PARTY: ReadonlyMap<string, 'mean' | 'least' | 'greatest'> = new Map([
  ['avg', 'mean'],
  ['Average', 'mean'],
  ['min', 'least'],
  ['Min', 'least'],
  ['max', 'greatest'],
  ['Max', 'greatest'],
]);

/** The number of players of a team, or of the whole game. */
export function sizeOf(team?: string) {
  return { of: 'count', attribute: SKILL, ...(team !== undefined && { team }) } as const;
}

/**
 * What an option names. @throws InvalidInput unless it is one of these
 * @param what such as "a pool of the queue"
 */
export function chosen(option: string, what: string, names: readonly string[], asked: string): string {
  if (names.includes(asked)) return asked;
  const known = [...new Set(names)].join(', ') || 'it has none';
  throw new InvalidInput(`${option}: Expected ${what} (${known}), got ${JSON.stringify(asked)}`);
}

/** What reports say of several matchmakers. */
export const NOTES = {
  noSkill: 'no attribute is the skill: send skill 0 with each player, or name one with --skill',
  isSkill: 'it is the skill of each player, not an attribute',
  forbidsNothing: 'it forbids no match: Muster searches all waiting tickets for the least imbalance',
  partySize: 'a party may be as large as a team; your backend limits it further',
};
export const renamed = (name: string, ours: string) => (name === ours ? undefined : `its name is ${ours}`);
