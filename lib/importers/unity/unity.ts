import { shown } from '../../vocabulary/expected.ts';
import { InvalidInput } from '../../vocabulary/invalid-input.ts';
import { chosen, DraftRules, type DraftTeam, definitionOf, NOTES, renamed, sizeOf } from '../draft.ts';
import type { Definition, Importer, ImportOptions } from '../importer.ts';
import { attributeNames, teamNames } from '../names.ts';
import { immaterial, pathOf } from '../reading.ts';
import { type ConvertedRule, type ExpansionStep, inTime, lower } from '../relaxation.ts';
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
import { fieldOf, sourceOf, UNITY_RULE_TYPES, type UnityPlace } from './rule-types.ts';

/** Pools of Unity Matchmaker. What the public documents leave open is reported. */
export const unity: Importer<UnityFile> = {
  title: 'a pool of Unity Matchmaker',
  file: 'queue (.mmq) or the match logic of a pool, JSON',
  options: ['pool', 'skill'],
  read: readUnity,
  translate(file, options, report) {
    if ('matchDefinition' in file) return translate(file, options, report, file.name ?? 'imported');
    const pool = poolOf(file, options.pool, report);
    reportQueue(file, pool, report);
    const name = pool === file.defaultPool ? file.name : `${file.name}-${pool.name}`;
    return translate(pool.matchLogic, options, report, name, pool.timeoutSeconds);
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
  const { maxPlayersPerTicket: most } = queue;
  if (most !== undefined)
    report.compared(pathOf(queue, 'maxPlayersPerTicket'), most < largest && NOTES.partySize);
  if (!matchHosting) return;
  const property = pathOf(pool, 'matchHosting');
  if (matchHosting.type === 'MatchId') report.same(property, 'the match has an id and no server');
  else report.impossible(property, 'a provisioner of the definition finds the server');
}

/** What the parts of a pool share. */
interface PoolContext {
  readonly report: Report;
  readonly timeoutSeconds: number;
  readonly draft: DraftRules;
  /** The data of players that are their skill. */
  readonly skill: string | undefined;
  /** The name of data in the queue. */
  readonly nameOf: (attribute: string) => string;
  /** The names of the teams in the queue. */
  readonly teams: ReadonlyMap<string, string>;
  /** Whether the oldest ticket relaxes every limit. */
  readonly isOldest: boolean;
}

function translate(
  logic: UnityLogic,
  options: ImportOptions,
  report: Report,
  fallbackName: string,
  timeoutSeconds = 300,
): Definition {
  const { name, backfillEnabled, defaultQosRegion, matchDefinition } = logic;
  const matchRules = matchDefinition.matchRules ?? [];
  const rules = [...matchRules, ...matchDefinition.teams.flatMap(({ teamRules }) => teamRules ?? [])];
  const relaxations = [
    ...rules.flatMap((rule) => rule.relaxations ?? []),
    ...matchDefinition.teams.flatMap(({ playerCount }) => playerCount.relaxations ?? []),
  ];
  const skill = skillOf(rules, options.skill);
  const context: PoolContext = {
    report,
    timeoutSeconds,
    draft: new DraftRules(),
    skill,
    nameOf: attributeNames(attributesIn(rules), skill, fieldOf),
    teams: teamNames(matchDefinition.teams.map((team) => team.name)),
    isOldest: relaxations.length > 0 && relaxations.every(({ ageType }) => ageType === 'Oldest'),
  };
  immaterial(name);
  if (defaultQosRegion !== undefined)
    report.impossible(
      pathOf(logic, 'defaultQosRegion'),
      'a match is placed in a region that all of its players report',
    );
  const teams = matchDefinition.teams.map((team) => addTeam(team, context));
  for (const rule of matchRules) addRule(rule, {}, context);
  for (const team of matchDefinition.teams)
    for (const rule of team.teamRules ?? []) addRule(rule, { team: context.teams.get(team.name)! }, context);
  return definitionOf({
    name: options.name,
    fallbackName,
    teams,
    attributes: attributesOf(rules, context),
    rules: context.draft.all,
    timeoutSeconds,
    more: {
      ...(context.isOldest && { relaxBy: 'oldest' }),
      ...(backfillEnabled && { backfill: { priority: 'normal' } }),
    },
  });
}

function addTeam(team: UnityTeam, context: PoolContext): DraftTeam {
  const { report, draft } = context;
  const { name, teamCount, playerCount } = team;
  const ours = context.teams.get(name)!;
  const relaxations = playerCount.relaxations ?? [];
  const steps = stepsOf(relaxations, ['RangeControl.ReplaceMin'], playerCount.min, context);
  const least = Math.min(playerCount.min, ...steps.map(({ value }) => value));
  const differs = [
    teamCount.min !== teamCount.max && `a match always has ${teamCount.max} such teams`,
    ...differentAges(steps.length > 0 ? relaxations : [], context),
  ];
  if (steps.length > 0) {
    const rule: ConvertedRule = {
      body: { type: 'compare', left: sizeOf(ours), op: '>=', right: playerCount.min },
      limits: { min: lower('right') },
    };
    differs.push(...draft.add(`${name} playerCount`, [rule], () => steps));
  }
  report.compared(pathOf(team), differs, renamed(name, ours));
  stepsOf(teamCount.relaxations ?? [], [], 0, context);
  return { name: ours, least, most: playerCount.max, count: teamCount.max };
}

function addRule(rule: UnityRule, place: UnityPlace, context: PoolContext): void {
  const { report, draft, nameOf } = context;
  const name = rule.name ?? `${rule.type} ${rule.source}`;
  const property = pathOf(rule);
  const converted = convertedOf(rule, place, nameOf);
  if (typeof converted === 'string') {
    report.impossible(property, converted);
    return;
  }
  const relaxations = rule.relaxations ?? [];
  // What only turns a rule off and on has no number that counts.
  const reference = typeof rule.reference === 'number' ? rule.reference : 0;
  const isNumber = converted.some(({ limits = {} }) => limits.reference?.key !== undefined);
  const known = isNumber ? ['ReferenceControl.Replace', ...OF_RULES] : OF_RULES;
  const steps = stepsOf(relaxations, known, reference, context, rule.enableRule);
  if (rule.enableRule === false && steps.every(({ value }) => value === Infinity)) {
    report.same(property, 'it is disabled');
    return;
  }
  const differs = differentAges(steps.length > 0 ? relaxations : [], context);
  differs.push(...draft.add(name, converted, () => steps));
  const isLatency = sourceOf(rule.source) === 'latency';
  report.compared(property, differs, isLatency && 'tickets have latencyMs by region');
}

/** The counterpart of a rule, or the reason why there is none. */
function convertedOf(rule: UnityRule, place: UnityPlace, nameOf: PoolContext['nameOf']) {
  const type = UNITY_RULE_TYPES.get(rule.type);
  const source = sourceOf(rule.source);
  if (type === undefined) return `what ${rule.type} means has no counterpart, or is not documented`;
  if (source === undefined) return `the source ${rule.source} is not the data or the latency of players`;
  if (rule.not) return 'opposites are not imported';
  return source === 'latency'
    ? (type.ofLatency?.(rule, place) ?? `${rule.type} of latencies has no counterpart`)
    : type.convert(rule, nameOf(source.attribute), place);
}

function differentAges(relaxations: readonly UnityRelaxation[], { isOldest }: PoolContext): string[] {
  if (isOldest || relaxations.every(({ ageType }) => ageType === 'Youngest')) return [];
  return ['it relaxes when the youngest ticket has waited, because limits of one queue follow one age'];
}

function attributesOf(rules: readonly UnityRule[], { skill, nameOf, report }: PoolContext) {
  const attributes: Record<string, { type: string }> = {};
  for (const rule of rules) {
    const attribute = attributeOf(rule);
    const type = UNITY_RULE_TYPES.get(rule.type)?.attribute(rule);
    if (attribute === undefined || type === undefined || attribute === skill) continue;
    attributes[nameOf(attribute)] ??= { type };
    const first = attributes[nameOf(attribute)]!.type;
    if (first !== type)
      report.impossible(pathOf(rule, 'source'), `another rule reads it with the type ${first}`);
  }
  for (const name of attributesIn(rules))
    if (name !== skill && fieldOf(name) !== nameOf(name))
      report.same(`data ${name}`, renamed(name, nameOf(name)));
  if (skill === undefined) report.same('skill', NOTES.noSkill);
  else report.same(`data ${skill}`, NOTES.isSkill);
  return attributes;
}

/** Relaxations that any rule has. */
const OF_RULES = ['RuleControl.Enable', 'RuleControl.Disable'];

/**
 * The steps of a number before the time-out, infinite while its rule is disabled. Reports the relaxations that have no counterpart.
 *
 * @param known the relaxations that have one
 */
function stepsOf(
  relaxations: readonly UnityRelaxation[],
  known: readonly string[],
  first: number,
  { report, timeoutSeconds }: PoolContext,
  isEnabled = true,
): ExpansionStep[] {
  const steps = isEnabled ? [] : [{ waitTimeSeconds: 0, value: Infinity }];
  let number = first;
  for (const one of relaxations.toSorted((a, b) => a.atSeconds - b.atSeconds)) {
    // What has no counterpart stays unread, so that the report names it.
    if (!known.includes(one.type)) {
      report.impossible(pathOf(one), `${one.type} has no counterpart here`);
      continue;
    }
    if (OF_RULES.includes(one.type)) isEnabled = one.type === 'RuleControl.Enable';
    else if (typeof one.value === 'number') number = one.value;
    else {
      report.impossible(pathOf(one), `Expected a number as its value, got ${shown(one.value)}`);
      continue;
    }
    // Whether all of them follow one age is judged elsewhere.
    immaterial(one.ageType);
    steps.push({ waitTimeSeconds: one.atSeconds, value: isEnabled ? number : Infinity });
  }
  return inTime(steps, timeoutSeconds);
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
  const names = attributesIn(numbers);
  const found = names.find((name) => name === asked || fieldOf(name) === asked);
  return found ?? chosen('--skill', 'a number in the rules of the pool', names.map(fieldOf), asked);
}
