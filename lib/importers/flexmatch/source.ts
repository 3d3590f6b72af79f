import { SKILL } from '../../rules/values.ts';
import { chosen } from '../draft.ts';
import type { ImportOptions } from '../importer.ts';
import { attributeNames, teamNames } from '../names.ts';
import { unmarked } from '../reading.ts';
import { type ExpansionStep, inTime } from '../relaxation.ts';
import { parseExpression } from './expression.ts';
import type { FlexMatchRuleSet } from './rule-set.ts';

/** A team of the source, or several of one kind. */
export interface SourceTeam {
  /** In the rule set, and in the queue. */
  readonly name: string;
  readonly ours: string;
  readonly quantity: number;
  /** The fewest and the most players that it ever has, and whether that is always the same. */
  readonly least: number;
  readonly most: number;
}

/** A rule set with the names and roles that its parts have in the queue. */
export class Source {
  readonly set: FlexMatchRuleSet;
  readonly options: ImportOptions;
  readonly teams: readonly SourceTeam[];
  /** The attribute that is the skill. */
  readonly skill: string | undefined;
  /** The name of an attribute in the queue. */
  readonly nameOf: (attribute: string) => string;

  /** @throws InvalidInput when the options name no number attribute as the skill */
  constructor(set: FlexMatchRuleSet, options: ImportOptions) {
    this.set = set;
    this.options = options;
    const ours = teamNames(this.teamNames);
    this.teams = set.teams.map(({ name, minPlayers, maxPlayers, quantity = 1 }) => {
      const sizes = (key: string, first: number) => [
        first,
        ...this.stepsOf(`teams[${name}].${key}`).map(({ value }) => value),
      ];
      const least = Math.min(...sizes('minPlayers', minPlayers));
      const most = Math.max(...sizes('maxPlayers', maxPlayers));
      return { name, ours: ours.get(name)!, quantity, least, most };
    });
    this.skill = this.#skillAttribute();
    const attributes = (set.playerAttributes ?? []).map(({ name }) => name);
    this.nameOf = attributeNames(attributes, this.skill);
  }

  get teamNames(): readonly string[] {
    return this.set.teams.map(({ name }) => name);
  }

  /** The steps of an expansion in the order of time, without those after the time-out; none without one. */
  stepsOf(target: string): readonly ExpansionStep[] {
    const own = (this.set.expansions ?? []).filter((expansion) => expansion.target === target);
    const steps = own.flatMap((one) => one.steps);
    return inTime(steps, this.options.timeout).toSorted((a, b) => a.waitTimeSeconds - b.waitTimeSeconds);
  }

  typeOf(attribute: string): string | undefined {
    return this.set.playerAttributes?.find(({ name }) => name === attribute)?.type;
  }

  /** The number in the queue that stands for one with which a measurement is compared. */
  valueOf({ attribute, of }: { attribute: string | undefined; of: string }, value: number): number {
    return of !== 'count' && attribute !== undefined && attribute === this.skill
      ? value + this.skillOffset
      : value;
  }

  get skillOffset(): number {
    return this.options.skillOffset ?? 0;
  }

  /** All players of the teams when nothing is missing. */
  get seats(): number {
    return this.teams.reduce((sum, { most, quantity }) => sum + most * quantity, 0);
  }

  /** Whether every team always has the same number of players. */
  get hasFixedSizes(): boolean {
    return this.teams.every(({ least, most }) => least === most);
  }

  /**
   * The one that is asked for, else the one that the algorithm balances, else one whose team averages a rule compares, else the
   * one with the name skill, else the only number.
   */
  #skillAttribute(): string | undefined {
    const numbers = (this.set.playerAttributes ?? []).filter(({ type }) => type === 'number');
    const names = numbers.map(({ name }) => name);
    const asked = this.options.skill;
    if (asked !== undefined) return chosen('--skill', 'a number attribute of the rule set', names, asked);
    const balanced = this.set.algorithm?.balancedAttribute;
    if (typeof balanced === 'string' && names.includes(balanced)) return balanced;
    for (const { measurements = [] } of (this.set.rules ?? []).map(unmarked)) {
      for (const text of measurements) {
        const measured = parseExpression(text, this.teamNames);
        if (measured?.calls.includes('avg') && names.includes(measured.attribute ?? ''))
          return measured.attribute;
      }
    }
    return names.includes(SKILL) ? SKILL : numbers.length === 1 ? names[0] : undefined;
  }
}
