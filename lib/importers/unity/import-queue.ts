import type { Rule } from '../../rules/rule-types.ts';
import { SKILL } from '../../rules/values.ts';
import { InvalidInput } from '../../simulation/invalid-input.ts';
import { fieldName, queueName, ruleName, teamName, uniqueName, uniqueNames } from '../names.ts';
import { type ConvertedRule, type ExpansionStep, relaxed } from '../relaxation.ts';
import { type ImportLine, Report } from '../report.ts';
import { EMPTY_SEAT_COST } from '../sizes.ts';
import type { UnityPool, UnityQueue, UnityRelaxation, UnityRule, UnityTeam } from './queue.ts';
import { sourceOf, UNITY_RULE_TYPES, type UnityRuleType } from './rule-types.ts';

export interface UnityOptions {
  /** The field of the players' data that becomes their skill. */
  readonly skill?: string | undefined;
  readonly name?: string | undefined;
  /** @default the first pool */
  readonly pool?: string | undefined;
}

/**
 * Converts a pool of Unity Matchmaker into a queue definition, with a result for each property, as `importRuleSet` does for
 * FlexMatch. What the public documents leave open is reported.
 *
 * @throws InvalidInput when the options do not fit the queue
 */
export function importUnityQueue(
  queue: UnityQueue,
  options: UnityOptions = {},
): { definition: Record<string, unknown>; lines: readonly ImportLine[] } {
  return new Import(queue, poolOf(queue, options.pool), options).run();
}

function poolOf({ pools }: UnityQueue, asked: string | undefined): UnityPool {
  const found = asked === undefined ? pools[0] : pools.find(({ name }) => name === asked);
  if (found) return found;
  const known = pools.map(({ name }) => name).join(', ') || 'it has none';
  throw new InvalidInput(
    `--pool: Expected a pool of the queue (${known}), got ${JSON.stringify(asked ?? '')}`,
  );
}

class Import {
  readonly #queue: UnityQueue;
  readonly #pool: UnityPool;
  readonly #options: UnityOptions;
  readonly #report = new Report();
  readonly #rules: Rule[] = [];
  readonly #used = new Set<string>();
  readonly #skill: string | undefined;
  readonly #names: ReadonlyMap<string, string>;
  readonly #teams: ReadonlyMap<string, string>;
  /** Whether the oldest ticket relaxes every limit. */
  readonly #isOldest: boolean;

  constructor(queue: UnityQueue, pool: UnityPool, options: UnityOptions) {
    this.#queue = queue;
    this.#pool = pool;
    this.#options = options;
    const { teams, matchRules } = pool.matchLogic.matchDefinition;
    const all = [...(matchRules ?? []), ...teams.flatMap(({ teamRules }) => teamRules ?? [])];
    this.#skill = skillOf(all, options.skill);
    this.#names = uniqueNames(
      attributesIn(all).filter((name) => name !== this.#skill),
      fieldName,
      [SKILL],
    );
    this.#teams = uniqueNames(
      teams.map(({ name }) => name),
      teamName,
    );
    const relaxations = [
      ...all.flatMap((rule) => rule.relaxations ?? []),
      ...teams.flatMap(({ playerCount }) => playerCount.relaxations ?? []),
    ];
    this.#isOldest =
      relaxations.length > 0 && relaxations.every(({ ageType = 'Oldest' }) => ageType === 'Oldest');
  }

  run(): { definition: Record<string, unknown>; lines: readonly ImportLine[] } {
    const { name, backfillEnabled, matchDefinition } = this.#pool.matchLogic;
    const teams = matchDefinition.teams.map((team) => this.#team(team));
    for (const rule of matchDefinition.matchRules ?? []) this.#rule(rule, undefined);
    for (const team of matchDefinition.teams)
      for (const rule of team.teamRules ?? []) this.#rule(rule, this.#teams.get(team.name));
    const attributes = this.#attributes();
    this.#others();
    const isShort = teams.some((team) => team.minSize !== undefined);
    const definition = {
      name: this.#options.name ?? queueName(this.#queue.name || name),
      teams,
      ...(isShort && { short: { afterSeconds: 0, cost: EMPTY_SEAT_COST } }),
      ...(Object.keys(attributes).length > 0 && { attributes }),
      ...(this.#rules.length > 0 && { rules: this.#rules }),
      ...(this.#isOldest && { relaxBy: 'oldest' }),
      ...(backfillEnabled && { backfill: { priority: 'normal' } }),
      imbalance: { alpha: 1, p: 1, q: 2 },
      release: { policy: 'greedy' },
      tickSeconds: 1,
      timeoutSeconds: this.#pool.timeoutSeconds ?? 300,
    };
    return { definition, lines: this.#report.lines };
  }

  #team({ name, teamCount, playerCount, ...rest }: UnityTeam) {
    const ours = this.#teams.get(name)!;
    const property = `teams[${name}]`;
    const steps = this.#steps(playerCount.relaxations ?? [], 'RangeControl.ReplaceMin', 1);
    const least = Math.min(playerCount.min, ...steps.map(({ value }) => value));
    const different = [
      ...(teamCount.min === teamCount.max && !teamCount.relaxations?.length
        ? []
        : [`a match always has ${teamCount.max} such teams`]),
      ...this.#differences(playerCount.relaxations ?? []),
    ];
    if (steps.length > 0) {
      const left = { of: 'count', attribute: SKILL, team: ours } as const;
      const rule: ConvertedRule = {
        body: { type: 'compare', left, op: '>=', right: playerCount.min },
        limits: { min: { key: 'right', isUpper: false, of: (value) => value } },
      };
      different.push(...this.#push(`${name} playerCount`, rule, steps));
    }
    if (different.length > 0) this.#report.nearly(property, [...new Set(different)].join('; '));
    else this.#report.same(property, ours === name ? undefined : `its name is ${ours}`);
    this.#report.unknown(property, rest, ['teamRules']);
    this.#reportRelaxations(`${property}.playerCount`, playerCount.relaxations, OF_RANGES);
    return {
      name: ours,
      size: playerCount.max,
      ...(teamCount.max > 1 && { count: teamCount.max }),
      ...(least < playerCount.max && { minSize: least }),
    };
  }

  #rule(rule: UnityRule, team: string | undefined): void {
    const name = rule.name ?? `${rule.type} ${rule.source}`;
    const property = team === undefined ? `matchRules[${name}]` : `teamRules[${name}]`;
    const type = typeOf(rule);
    const source = sourceOf(rule.source);
    const nameOf = (attribute: string) => this.#nameOf(attribute);
    const converted =
      type === undefined
        ? `what ${rule.type} means has no counterpart, or is not documented`
        : source === undefined
          ? `the source ${rule.source} is not the data or the latency of players`
          : rule.not
            ? 'opposites are not imported'
            : type.convert(rule, source, { nameOf, team });
    this.#report.unknown(property, rule, RULE_FIELDS);
    if (typeof converted === 'string') {
      this.#report.impossible(property, converted);
      return;
    }
    const relaxations = rule.relaxations ?? [];
    this.#reportRelaxations(property, relaxations, OF_RULES);
    const isEnabled = relaxations.some((one) => one.type === 'RuleControl.Enable');
    if (rule.enableRule === false && !isEnabled) {
      this.#report.same(property, 'it is disabled');
      return;
    }
    const differs = this.#differences(relaxations);
    if (isEnabled) differs.push('a rule never tightens, so it holds before it is enabled too');
    for (const one of converted) {
      const limit = Object.values(one.limits ?? {})[0];
      differs.push(
        ...this.#push(
          name,
          one,
          this.#steps(relaxations, 'ReferenceControl.Replace', limit?.isUpper ? 1 : -1),
        ),
      );
    }
    if (differs.length > 0) this.#report.nearly(property, [...new Set(differs)].join('; '));
    else this.#report.same(property, source === 'latency' ? 'tickets have latencyMs by region' : undefined);
  }

  /** Adds a rule, and returns what differs. */
  #push(name: string, rule: ConvertedRule, steps: readonly ExpansionStep[]): string[] {
    const { body, relax, tightening } = relaxed(rule, () => steps);
    const own = uniqueName(ruleName(name), this.#used, ' ');
    this.#rules.push({ name: own, ...body, ...(relax.length > 0 && { relax }) } as Rule);
    return tightening.length === 0
      ? []
      : ['a rule never tightens, so the stricter limit holds before its step too'];
  }

  /** The steps of relaxations of this type, and of those that disable a rule. */
  #steps(relaxations: readonly UnityRelaxation[], type: string, direction: 1 | -1): ExpansionStep[] {
    return relaxations
      .flatMap((one): ExpansionStep[] => {
        if (one.type === 'RuleControl.Disable')
          return [{ waitTimeSeconds: one.atSeconds, value: direction * Infinity }];
        return one.type === type && typeof one.value === 'number'
          ? [{ waitTimeSeconds: one.atSeconds, value: one.value }]
          : [];
      })
      .sort((a, b) => a.waitTimeSeconds - b.waitTimeSeconds);
  }

  /** The relaxations that are ignored, with the reason. */
  #reportRelaxations(of: string, relaxations: UnityRule['relaxations'], known: readonly string[]): void {
    (relaxations ?? []).forEach(({ type, value }, i) => {
      const property = `${of}.relaxations[${i}]`;
      if (!known.includes(type)) this.#report.impossible(property, `${type} has no counterpart here`);
      else if (type.includes('.Replace') && typeof value !== 'number')
        this.#report.impossible(property, `Expected a number as its value, got ${JSON.stringify(value)}`);
    });
  }

  #differences(relaxations: readonly UnityRelaxation[]): string[] {
    if (this.#isOldest) return [];
    return relaxations.some(({ ageType = 'Oldest' }) => ageType !== 'Youngest')
      ? ['it relaxes when the youngest ticket has waited, because limits of one queue follow one age']
      : [];
  }

  #nameOf(attribute: string): string {
    return attribute === this.#skill ? SKILL : this.#names.get(attribute)!;
  }

  #attributes(): Record<string, unknown> {
    const { teams, matchRules } = this.#pool.matchLogic.matchDefinition;
    const attributes: Record<string, unknown> = {};
    for (const rule of [...(matchRules ?? []), ...teams.flatMap(({ teamRules }) => teamRules ?? [])]) {
      const source = sourceOf(rule.source);
      const type = typeOf(rule);
      if (type === undefined || source === undefined || source === 'latency') continue;
      if (source.attribute === this.#skill) continue;
      attributes[this.#nameOf(source.attribute)] ??= { type: type.attribute(rule) };
    }
    for (const [name, ours] of this.#names)
      if (name !== ours) this.#report.same(`data ${name}`, `its name is ${ours}`);
    if (this.#skill !== undefined)
      this.#report.same(`data ${this.#skill}`, 'it is the skill of each player, not an attribute');
    else
      this.#report.same(
        'skill',
        'no field is the skill: send skill 0 with each player, or name one with --skill',
      );
    return attributes;
  }

  /** What does not decide which players play together. */
  #others(): void {
    const { pools, maxPlayersPerTicket } = this.#queue;
    for (const { name } of pools)
      if (name !== this.#pool.name)
        this.#report.impossible(`pool ${name}`, `a queue has one pool: import it with --pool ${name}`);
    if (this.#pool.filters?.length)
      this.#report.impossible('filters', 'your backend chooses the queue of a ticket');
    const largest = Math.max(
      ...this.#pool.matchLogic.matchDefinition.teams.map(({ playerCount }) => playerCount.max),
    );
    if (maxPlayersPerTicket !== undefined && maxPlayersPerTicket < largest)
      this.#report.nearly(
        'maxPlayersPerTicket',
        'a party may be as large as a team; your backend limits it further',
      );
    if ('matchHosting' in this.#pool)
      this.#report.same('matchHosting', 'a provisioner of the definition finds the server');
  }
}

const RULE_FIELDS = [
  'name',
  'type',
  'source',
  'reference',
  'overlap',
  'not',
  'enableRule',
  'relaxations',
  'externalData',
];

function typeOf({ type }: UnityRule): UnityRuleType | undefined {
  return Object.hasOwn(UNITY_RULE_TYPES, type) ? UNITY_RULE_TYPES[type] : undefined;
}

/** What relaxations of a rule, and of a range of sizes, do. */
const OF_RULES = ['ReferenceControl.Replace', 'RuleControl.Enable', 'RuleControl.Disable'];
const OF_RANGES = ['RangeControl.ReplaceMin'];

function attributesIn(rules: readonly UnityRule[]): string[] {
  const names = rules.flatMap(({ source }) => {
    const found = sourceOf(source);
    return found === undefined || found === 'latency' ? [] : [found.attribute];
  });
  return [...new Set(names)];
}

/** The one that is asked for, else that of the first difference. */
function skillOf(rules: readonly UnityRule[], asked: string | undefined): string | undefined {
  const numbers = attributesIn(rules.filter((rule) => typeOf(rule)?.attribute(rule) === 'number'));
  if (asked === undefined) return attributesIn(rules.filter(({ type }) => type === 'Difference'))[0];
  if (numbers.includes(asked)) return asked;
  const known = numbers.join(', ') || 'it has none';
  throw new InvalidInput(
    `--skill: Expected a number in the rules of the pool (${known}), got ${JSON.stringify(asked)}`,
  );
}
