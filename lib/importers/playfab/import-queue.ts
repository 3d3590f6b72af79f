import type { Rule } from '../../rules/rule-types.ts';
import { SKILL } from '../../rules/values.ts';
import { InvalidInput } from '../../simulation/invalid-input.ts';
import { fieldName, queueName, ruleName, teamName, uniqueName, uniqueNames } from '../names.ts';
import { relaxed } from '../relaxation.ts';
import { type ImportLine, Report } from '../report.ts';
import { EMPTY_SEAT_COST } from '../sizes.ts';
import { type PlayFabQueue, type PlayFabRule, rulesOf } from './queue.ts';
import { PLAYFAB_RULE_TYPES, type PlayFabNames } from './rule-types.ts';

export interface PlayFabOptions {
  /** The path of the number attribute that becomes the players' skill. */
  readonly skill?: string | undefined;
  readonly name?: string | undefined;
  /** `GiveUpAfterSeconds` of the tickets. @default 300 */
  readonly timeoutSeconds?: number | undefined;
}

type TypedRule = PlayFabRule & { readonly Type: string };

/**
 * Converts a queue of PlayFab Matchmaking into a queue definition, with a result for each property, as `importRuleSet` does for
 * FlexMatch. What the public documents leave open is reported.
 *
 * @throws InvalidInput when the options do not fit the queue
 */
export function importPlayFabQueue(
  queue: PlayFabQueue,
  options: PlayFabOptions = {},
): { definition: Record<string, unknown>; lines: readonly ImportLine[] } {
  const report = new Report();
  const rules = rulesOf(queue);
  const skill = skillOf(rules, options.skill);
  const paths = [...new Set(rules.flatMap(({ Attribute }) => Attribute?.Path ?? []))];
  const others = uniqueNames(
    paths.filter((path) => path !== skill),
    fieldName,
    [SKILL],
  );
  const teams = teamsOf(queue, report);
  const names: PlayFabNames = {
    nameOf: (path) => (path === skill ? SKILL : others.get(path)!),
    teams: teams.map(({ name }) => name),
  };
  const attributes = attributesOf(rules, skill, names, report);
  const ours = [...sizeRulesOf(queue, teams), ...rules.flatMap((rule) => convert(rule, names, report))];
  const used = new Set<string>();
  const unique = ours.map((rule) => ({ ...rule, name: uniqueName(ruleName(rule.name), used, ' ') }));
  reportOthers(queue, options, report);
  const isShort = teams.some(({ size, minSize }) => minSize !== undefined && minSize < size);
  return {
    definition: {
      name: options.name ?? queueName(queue.Name),
      teams,
      ...(isShort && { short: { afterSeconds: 0, cost: EMPTY_SEAT_COST } }),
      ...(Object.keys(attributes).length > 0 && { attributes }),
      ...(unique.length > 0 && { rules: unique }),
      imbalance: { alpha: 1, p: 1, q: 2 },
      release: { policy: 'greedy' },
      tickSeconds: 1,
      timeoutSeconds: options.timeoutSeconds ?? 300,
    },
    lines: report.lines,
  };
}

/** The one that is asked for, else that of the first rule between teams, else that of the first difference. */
function skillOf(rules: readonly TypedRule[], asked: string | undefined): string | undefined {
  const numbers = rules.filter(({ Type }) => typeOf(Type)?.attribute === 'number');
  const paths = numbers.flatMap(({ Attribute }) => Attribute?.Path ?? []);
  if (asked !== undefined) {
    if (paths.includes(asked)) return asked;
    const known = paths.length === 0 ? 'it has none' : [...new Set(paths)].join(', ');
    throw new InvalidInput(
      `--skill: Expected the path of a number attribute of the queue (${known}), got ${JSON.stringify(asked)}`,
    );
  }
  const first = (type: string) => numbers.find(({ Type }) => Type === type)?.Attribute?.Path;
  return first('TeamDifferenceRule') ?? first('DifferenceRule');
}

function typeOf(type: string) {
  return Object.hasOwn(PLAYFAB_RULE_TYPES, type) ? PLAYFAB_RULE_TYPES[type] : undefined;
}

interface Team {
  readonly name: string;
  readonly size: number;
  readonly minSize?: number;
}

/** The teams, or one team of all players where the queue has none. */
function teamsOf(queue: PlayFabQueue, report: Report): Team[] {
  const { MinMatchSize, MaxMatchSize, Teams } = queue;
  const sizes = (least: number, most: number) => ({ size: most, ...(least < most && { minSize: least }) });
  const least = MinMatchSize === MaxMatchSize ? '' : '; larger matches go first, as in PlayFab';
  const alone =
    'a party of as many players as a match needs starts it alone; PlayFab waits for another ticket';
  const mayBeAlone = (queue.MaxTicketSize ?? MaxMatchSize) >= MinMatchSize && !(Teams && Teams.length > 1);
  if (mayBeAlone) report.nearly('MinMatchSize', alone);
  else report.same('MinMatchSize');
  if (!Teams || Teams.length === 0) {
    report.same('MaxMatchSize', `a match is one team, players${least}`);
    return [{ name: 'players', ...sizes(MinMatchSize, MaxMatchSize) }];
  }
  report.same('MaxMatchSize');
  const names = uniqueNames(
    Teams.map(({ Name }) => Name),
    teamName,
  );
  return Teams.map((team) => {
    const { Name, MinTeamSize, MaxTeamSize } = team;
    const own = names.get(Name)!;
    report.same(`Teams[${Name}]`, own === Name ? undefined : `its name is ${own}`);
    report.unknown(`Teams[${Name}]`, team, ['Name', 'MinTeamSize', 'MaxTeamSize']);
    return { name: own, ...sizes(MinTeamSize, MaxTeamSize) };
  });
}

/** Sizes of matches that the sizes of teams do not keep. */
function sizeRulesOf({ MinMatchSize, MaxMatchSize }: PlayFabQueue, teams: readonly Team[]): Rule[] {
  const least = teams.reduce((sum, { size, minSize = size }) => sum + minSize, 0);
  const most = teams.reduce((sum, { size }) => sum + size, 0);
  const left = { of: 'count', attribute: SKILL } as const;
  return [
    ...(least < MinMatchSize
      ? [{ name: 'MinMatchSize', type: 'compare', left, op: '>=', right: MinMatchSize } as const]
      : []),
    ...(most > MaxMatchSize
      ? [{ name: 'MaxMatchSize', type: 'compare', left, op: '<=', right: MaxMatchSize } as const]
      : []),
  ];
}

function attributesOf(
  rules: readonly TypedRule[],
  skill: string | undefined,
  { nameOf }: PlayFabNames,
  report: Report,
): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  for (const { Type, Attribute, DefaultAttributeValue, AttributeNotSpecifiedBehavior } of rules) {
    const type = typeOf(Type)?.attribute;
    if (!Attribute || type === undefined || Attribute.Path === skill) continue;
    const own = nameOf(Attribute.Path);
    const isDefault = AttributeNotSpecifiedBehavior !== 'MatchAny' && DefaultAttributeValue != null;
    attributes[own] ??= { type, ...(isDefault && { default: DefaultAttributeValue }) };
    const source =
      Attribute.Source === 'PlayerEntity' ? ['tickets have it; Muster reads no entity of PlayFab'] : [];
    const renamed = own === Attribute.Path ? [] : [`its name is ${own}`];
    const notes = [...renamed, ...source];
    report.same(`attribute ${Attribute.Path}`, notes.length === 0 ? undefined : notes.join('; '));
  }
  if (skill !== undefined) report.same(`attribute ${skill}`, skillNote(rules, skill));
  else
    report.same(
      'skill',
      'no attribute is the skill: send skill 0 with each player, or name one with --skill',
    );
  return attributes;
}

function skillNote(rules: readonly TypedRule[], skill: string): string {
  const own = rules.find(
    ({ Attribute, DefaultAttributeValue }) => Attribute?.Path === skill && DefaultAttributeValue != null,
  );
  const note = 'it is the skill of each player, not an attribute';
  return own === undefined
    ? note
    : `${note}; tickets always have it: send ${String(own.DefaultAttributeValue)} by default`;
}

function convert(rule: TypedRule, names: PlayFabNames, report: Report): Rule[] {
  const property = `${rule.Type} ${rule.Name}`;
  const type = typeOf(rule.Type);
  const converted = type === undefined ? `the type ${rule.Type} is not known` : type.convert(rule, names);
  if (typeof converted === 'string') {
    report.impossible(property, converted);
    return [];
  }
  const differs = [...converted.differs];
  const ours = converted.rules.map((one) => {
    const { body, relax, tightening } = relaxed(one, (key) => converted.steps[key] ?? []);
    if (tightening.length > 0)
      differs.push('a rule never tightens, so the stricter limit holds before its step too');
    return { name: rule.Name, ...body, ...(relax.length > 0 && { relax }) } as Rule;
  });
  if (differs.length > 0) report.nearly(property, [...new Set(differs)].join('; '));
  else report.same(property, converted.note);
  report.unknown(property, rule, KNOWN);
  const { AttributeNotSpecifiedBehavior: behavior, LinearExpansion, CustomExpansion } = rule;
  if (behavior !== undefined && !BEHAVIORS.includes(behavior))
    report.impossible(
      `${property}.AttributeNotSpecifiedBehavior`,
      `Expected ${BEHAVIORS.join(' or ')}, got ${JSON.stringify(behavior)}`,
    );
  if (LinearExpansion && CustomExpansion)
    report.impossible(`${property}.LinearExpansion`, 'a rule has one expansion: CustomExpansion is imported');
  return ours;
}

const KNOWN = [
  ...['Type', 'Name', 'Weight', 'Attribute', 'AttributeNotSpecifiedBehavior', 'DefaultAttributeValue'],
  ...[
    'SecondsUntilOptional',
    'Difference',
    'MergeFunction',
    'MinIntersectionSize',
    'Min',
    'Max',
    'MaxLatency',
  ],
  ...['Path', 'LinearExpansion', 'CustomExpansion', 'Expansion'],
];

const RULE_KEYS = [
  'Rules',
  ...['StringEqualityRules', 'DifferenceRules', 'SetIntersectionRules', 'MatchTotalRules'],
  ...['TeamDifferenceRules', 'RegionSelectionRule', 'TeamSizeBalanceRule', 'TeamTicketSizeSimilarityRule'],
];

const BEHAVIORS = ['UseDefault', 'MatchAny'];

/** Properties that do not decide which players play together. */
function reportOthers(queue: PlayFabQueue, { timeoutSeconds }: PlayFabOptions, report: Report): void {
  for (const [key, value] of Object.entries(queue)) {
    if (value === null || RULE_KEYS.includes(key)) continue;
    if (['Name', 'MinMatchSize', 'MaxMatchSize', 'Teams'].includes(key)) continue;
    if (key === 'MaxTicketSize')
      report.nearly(key, 'a party may be as large as a team; your backend limits it further');
    else if (key === 'ServerAllocationEnabled' && value === false) report.same(key);
    else if (['ServerAllocationEnabled', 'BuildId', 'BuildAliasParams'].includes(key))
      report.impossible(key, 'a provisioner of the definition finds the server');
    else if (key === 'StatisticsVisibilityToPlayers')
      report.same(key, 'it changes no match: backends read the statistics and show them');
    else report.impossible(key, 'it is not a property of the reference here');
  }
  if (timeoutSeconds === undefined)
    report.same('timeoutSeconds', 'tickets wait up to 300 s; --timeout sets their GiveUpAfterSeconds');
  report.same(
    'Weight',
    'weights forbid no match: Muster searches all waiting tickets for the least imbalance',
  );
}
