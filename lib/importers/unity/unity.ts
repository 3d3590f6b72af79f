import { SKILL } from '../../rules/values.ts';
import { InvalidInput } from '../../simulation/invalid-input.ts';
import { shown } from '../../vocabulary/expected.ts';
import {
  chosen,
  DraftRules,
  type DraftTeam,
  definitionOf,
  IS_SKILL,
  NO_SKILL,
  PARTY_SIZE,
  renamed,
  sizeOf,
} from '../draft.ts';
import type { Definition, Importer, ImportOptions } from '../importer.ts';
import { fieldName, teamName, uniqueNames } from '../names.ts';
import { immaterial, pathOf } from '../reading.ts';
import { type ConvertedRule, type ExpansionStep, lower } from '../relaxation.ts';
import type { Report } from '../report.ts';
import {
  readUnity,
  type UnityFile,
  type UnityLogic,
  type UnityPool,
  type UnityQueue,
  type UnityRelaxation,
  type UnityRule,
  type UnityTeam,
} from './queue.ts';
import { sourceOf, UNITY_RULE_TYPES } from './rule-types.ts';

/** Pools of Unity Matchmaker. What the public documents leave open is reported. */
export const unity: Importer<UnityFile> = {
  title: 'a pool of Unity Matchmaker',
  file: 'queue (.mmq) or the match logic of a pool, JSON',
  options: [
    { flags: '--pool <name>', description: 'the pool (default: the default pool)' },
    { flags: '--skill <field>', description: 'the field of the data of players that becomes their skill' },
  ],
  read: readUnity,
  translate(file, options, report) {
    if ('matchDefinition' in file)
      return new Translation(file, options, report).definition(file.name ?? 'imported', undefined);
    const pool = poolOf(file, options.pool, report);
    reportQueue(file, pool, report);
    return new Translation(pool.matchLogic, options, report).definition(file.name, pool.timeoutSeconds);
  },
};

function poolOf(queue: UnityQueue, asked: string | undefined, report: Report): UnityPool {
  const pools = [...(queue.defaultPool ? [queue.defaultPool] : []), ...(queue.filteredPools ?? [])];
  const names = pools.map(({ name }) => name);
  if (pools.length === 0)
    throw new InvalidInput('Expected a queue with a defaultPool, got one without a pool');
  const name = chosen('--pool', 'a pool of the queue', names, asked ?? names[0]!);
  const pool = pools.find((one) => one.name === name)!;
  for (const other of pools)
    if (other !== pool)
      report.impossible(pathOf(other), `a queue has one pool: import it with --pool ${other.name}`);
  return pool;
}

/** What of the queue and the pool does not decide which players play together. */
function reportQueue(queue: UnityQueue, pool: UnityPool, report: Report): void {
  immaterial(queue.$schema);
  const { filters, variants, matchHosting } = pool;
  for (const one of [queue, pool])
    if (one.enabled === false)
      report.impossible(pathOf(one, 'enabled'), 'a queue of Muster takes tickets at once');
  if (filters?.length)
    report.impossible(pathOf(pool, 'filters'), 'your backend chooses the queue of a ticket');
  if (variants?.length)
    report.impossible(pathOf(pool, 'variants'), 'one pool is imported, without its variants');
  const largest = Math.max(
    ...pool.matchLogic.matchDefinition.teams.map(({ playerCount }) => playerCount.max),
  );
  if (queue.maxPlayersPerTicket !== undefined)
    report.compared(
      pathOf(queue, 'maxPlayersPerTicket'),
      queue.maxPlayersPerTicket < largest ? [PARTY_SIZE] : [],
    );
  if (!matchHosting) return;
  const property = pathOf(pool, 'matchHosting');
  if (matchHosting.type === 'MatchId') report.same(property, 'the match has an id and no server');
  else report.impossible(property, 'a provisioner of the definition finds the server');
}

class Translation {
  readonly #logic: UnityLogic;
  readonly #options: ImportOptions;
  readonly #report: Report;
  readonly #draft = new DraftRules();
  /** All rules, of the match and of the teams. */
  readonly #rules: readonly UnityRule[];
  readonly #skill: string | undefined;
  readonly #names: ReadonlyMap<string, string>;
  readonly #teams: ReadonlyMap<string, string>;
  /** Whether the oldest ticket relaxes every limit. */
  readonly #isOldest: boolean;

  constructor(logic: UnityLogic, options: ImportOptions, report: Report) {
    this.#logic = logic;
    this.#options = options;
    this.#report = report;
    const { teams, matchRules } = logic.matchDefinition;
    this.#rules = [...(matchRules ?? []), ...teams.flatMap(({ teamRules }) => teamRules ?? [])];
    this.#skill = skillOf(this.#rules, options.skill);
    this.#names = uniqueNames(
      attributesIn(this.#rules).filter((name) => name !== this.#skill),
      fieldName,
      [SKILL],
    );
    this.#teams = uniqueNames(
      teams.map(({ name }) => name),
      teamName,
    );
    const relaxations = [
      ...this.#rules.flatMap((rule) => rule.relaxations ?? []),
      ...teams.flatMap(({ playerCount }) => playerCount.relaxations ?? []),
    ];
    this.#isOldest = relaxations.length > 0 && relaxations.every((one) => ageOf(one) === 'Oldest');
  }

  definition(fallbackName: string, timeoutSeconds = 300): Definition {
    const { name, backfillEnabled, defaultQosRegion, matchDefinition } = this.#logic;
    immaterial(name);
    if (defaultQosRegion !== undefined)
      this.#report.impossible(
        pathOf(this.#logic, 'defaultQosRegion'),
        'a match is placed in a region that all of its players report',
      );
    const teams = matchDefinition.teams.map((team) => this.#team(team));
    for (const rule of matchDefinition.matchRules ?? []) this.#rule(rule, undefined);
    for (const team of matchDefinition.teams)
      for (const rule of team.teamRules ?? []) this.#rule(rule, this.#teams.get(team.name));
    return definitionOf({
      name: this.#options.name,
      fallbackName,
      teams,
      attributes: this.#attributes(),
      rules: this.#draft.all,
      timeoutSeconds,
      more: {
        ...(this.#isOldest && { relaxBy: 'oldest' }),
        ...(backfillEnabled && { backfill: { priority: 'normal' } }),
      },
    });
  }

  #team(team: UnityTeam): DraftTeam {
    const { name, teamCount, playerCount } = team;
    const ours = this.#teams.get(name)!;
    const relaxations = playerCount.relaxations ?? [];
    const steps = stepsOf(relaxations, 'RangeControl.ReplaceMin');
    const least = Math.min(playerCount.min, ...steps.map(({ value }) => value));
    const differs = [
      ...(teamCount.min === teamCount.max ? [] : [`a match always has ${teamCount.max} such teams`]),
      ...this.#agesOf(relaxations),
    ];
    if (steps.length > 0) {
      const rule: ConvertedRule = {
        body: { type: 'compare', left: sizeOf(ours), op: '>=', right: playerCount.min },
        limits: { min: lower('right') },
      };
      differs.push(...this.#draft.add(`${name} playerCount`, rule, () => steps).values());
    }
    this.#report.compared(pathOf(team), differs, renamed(name, ours));
    this.#reportRelaxations(teamCount.relaxations ?? [], []);
    this.#reportRelaxations(relaxations, ['RangeControl.ReplaceMin']);
    return {
      name: ours,
      size: playerCount.max,
      ...(teamCount.max > 1 && { count: teamCount.max }),
      ...(least < playerCount.max && { minSize: least }),
    };
  }

  #rule(rule: UnityRule, team: string | undefined): void {
    const name = rule.name ?? `${rule.type} ${rule.source}`;
    const property = pathOf(rule);
    const type = UNITY_RULE_TYPES.get(rule.type);
    const source = sourceOf(rule.source);
    const place = team === undefined ? {} : { team };
    const converted =
      type === undefined
        ? `what ${rule.type} means has no counterpart, or is not documented`
        : source === undefined
          ? `the source ${rule.source} is not the data or the latency of players`
          : rule.not
            ? 'opposites are not imported'
            : source === 'latency'
              ? type.ofLatency(rule, place)
              : type.convert(rule, this.#nameOf(source.attribute), place);
    if (typeof converted === 'string') {
      this.#report.impossible(property, converted);
      return;
    }
    const relaxations = rule.relaxations ?? [];
    const isEnabled = relaxations.some((one) => one.type === 'RuleControl.Enable');
    const steps = stepsOf(relaxations, 'ReferenceControl.Replace');
    const differs = this.#agesOf(relaxations);
    const isNumber = converted.some(({ limits = {} }) => limits.reference?.key !== undefined);
    this.#reportRelaxations(relaxations, isNumber ? OF_NUMBERS : OF_RULES);
    if (rule.enableRule === false && !isEnabled) {
      this.#report.same(property, 'it is disabled');
      return;
    }
    if (isEnabled) differs.push('a rule never tightens, so it holds before it is enabled too');
    for (const one of converted) differs.push(...this.#draft.add(name, one, () => steps).values());
    this.#report.compared(
      property,
      differs,
      source === 'latency' ? 'tickets have latencyMs by region' : undefined,
    );
  }

  /** The relaxations that are ignored, with the reason. */
  #reportRelaxations(relaxations: readonly UnityRelaxation[], known: readonly string[]): void {
    for (const one of relaxations) {
      if (!known.includes(one.type))
        this.#report.impossible(pathOf(one), `${one.type} has no counterpart here`);
      else if (one.type.includes('.Replace') && typeof one.value !== 'number')
        this.#report.impossible(pathOf(one), `Expected a number as its value, got ${shown(one.value)}`);
    }
  }

  #agesOf(relaxations: readonly UnityRelaxation[]): string[] {
    if (this.#isOldest || relaxations.every((one) => ageOf(one) === 'Youngest')) return [];
    return ['it relaxes when the youngest ticket has waited, because limits of one queue follow one age'];
  }

  #nameOf(attribute: string): string {
    return attribute === this.#skill ? SKILL : this.#names.get(attribute)!;
  }

  #attributes(): Record<string, unknown> {
    const attributes: Record<string, { type: string }> = {};
    for (const rule of this.#rules) {
      const attribute = attributeOf(rule);
      const type = UNITY_RULE_TYPES.get(rule.type)?.attribute(rule);
      if (attribute === undefined || type === undefined || attribute === this.#skill) continue;
      const name = this.#nameOf(attribute);
      attributes[name] ??= { type };
      const first = attributes[name].type;
      if (first !== type)
        this.#report.impossible(pathOf(rule, 'source'), `another rule reads it with the type ${first}`);
    }
    for (const [name, ours] of this.#names)
      if (name !== ours) this.#report.same(`data ${name}`, renamed(name, ours));
    if (this.#skill !== undefined) this.#report.same(`data ${this.#skill}`, IS_SKILL);
    else this.#report.same('skill', NO_SKILL);
    return attributes;
  }
}

/** What relaxations of a rule do. */
const OF_RULES = ['RuleControl.Enable', 'RuleControl.Disable'];
/** What relaxations of a rule with a number do. */
const OF_NUMBERS = ['ReferenceControl.Replace', ...OF_RULES];

function ageOf({ ageType = 'Oldest' }: UnityRelaxation): string {
  return ageType;
}

/** The steps of relaxations of this type, and of those that disable a rule. */
function stepsOf(relaxations: readonly UnityRelaxation[], type: string): ExpansionStep[] {
  return relaxations
    .flatMap((one): ExpansionStep[] => {
      if (one.type === 'RuleControl.Disable') return [{ waitTimeSeconds: one.atSeconds, value: Infinity }];
      return one.type === type && typeof one.value === 'number'
        ? [{ waitTimeSeconds: one.atSeconds, value: one.value }]
        : [];
    })
    .sort((a, b) => a.waitTimeSeconds - b.waitTimeSeconds);
}

/** The data of players that a rule with a counterpart reads. */
function attributeOf({ source, type }: UnityRule): string | undefined {
  const found = UNITY_RULE_TYPES.has(type) ? sourceOf(source) : undefined;
  return found === undefined || found === 'latency' ? undefined : found.attribute;
}

function attributesIn(rules: readonly UnityRule[]): string[] {
  return [...new Set(rules.flatMap((rule) => attributeOf(rule) ?? []))];
}

/** The one that is asked for, else that of the first difference. */
function skillOf(rules: readonly UnityRule[], asked: string | undefined): string | undefined {
  if (asked === undefined) return attributesIn(rules.filter(({ type }) => type === 'Difference'))[0];
  const numbers = rules.filter((rule) => UNITY_RULE_TYPES.get(rule.type)?.attribute(rule) === 'number');
  return chosen('--skill', 'a number in the rules of the pool', attributesIn(numbers), asked);
}
