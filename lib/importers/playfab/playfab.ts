import { shown } from '../../vocabulary/expected.ts';
import { chosen, DraftRules, type DraftTeam, definitionOf, NOTES, renamed, sizeOf } from '../draft.ts';
import type { Definition, Importer, ImportOptions } from '../importer.ts';
import { attributeNames, teamNames } from '../names.ts';
import { immaterial, pathOf, whole } from '../reading.ts';
import { inTime } from '../relaxation.ts';
import type { Report } from '../report.ts';
import { type PlayFabFile, type PlayFabQueue, readPlayFab, rulesOf, type TypedRule } from './queue.ts';
import { PLAYFAB_RULE_TYPES, type PlayFabContext } from './rule-types.ts';

/** Queues of PlayFab Matchmaking. What the public documents leave open is reported. */
export const playfab: Importer<PlayFabFile> = {
  title: 'a queue of PlayFab Matchmaking',
  file: 'queue, JSON: what GetMatchmakingQueue returns',
  options: ['skill', 'timeout'],
  read: readPlayFab,
  translate(file, options, report) {
    return translate('MatchmakingQueue' in file ? file.MatchmakingQueue : file, options, report);
  },
};

function translate(queue: PlayFabQueue, options: ImportOptions, report: Report): Definition {
  const rules = rulesOf(queue);
  const timeoutSeconds = options.timeout ?? 300;
  const { attributes, nameOf } = attributesOf(rules, options.skill, report);
  const teams = teamsOf(queue, report);
  const draft = new DraftRules();
  for (const { name, op, size } of sizeRulesOf(queue, teams))
    draft.push(name, { type: 'compare', left: sizeOf(), op, right: size });
  const names = teams.length === 1 ? [] : teams.map(({ name }) => name);
  const context: PlayFabContext = { teams: names, timeoutSeconds, report };
  for (const rule of rules) add(rule, context, nameOf, draft);
  reportOthers(queue, teams, report);
  if (rules.filter(({ rule }) => rule.Weight !== undefined).length > 0)
    report.same('Weight', NOTES.forbidsNothing);
  if (options.timeout === undefined)
    report.same('timeoutSeconds', 'tickets wait up to 300 s; --timeout sets their GiveUpAfterSeconds');
  return definitionOf({
    name: options.name,
    fallbackName: queue.Name,
    teams,
    attributes,
    rules: draft.all,
    timeoutSeconds,
  });
}

/** The teams, or one team of all players where the queue has none. */
function teamsOf(queue: PlayFabQueue, report: Report): DraftTeam[] {
  const { MinMatchSize, MaxMatchSize, MaxTicketSize, Teams } = queue;
  const isAlone = (MaxTicketSize ?? MaxMatchSize) >= MinMatchSize && !(Teams && Teams.length > 1);
  report.compared(
    pathOf(queue, 'MinMatchSize'),
    isAlone &&
      'a party of as many players as a match needs starts it alone; PlayFab waits for another ticket',
  );
  if (!Teams || Teams.length === 0) {
    const larger = MinMatchSize === MaxMatchSize ? '' : '; larger matches go first, as in PlayFab';
    report.same(pathOf(queue, 'MaxMatchSize'), `a match is one team, players${larger}`);
    return [{ name: 'players', least: MinMatchSize, most: MaxMatchSize }];
  }
  report.same(pathOf(queue, 'MaxMatchSize'));
  const names = teamNames(Teams.map(({ Name }) => Name));
  return Teams.map((team) => {
    const name = names.get(team.Name)!;
    report.same(pathOf(team), renamed(team.Name, name));
    return { name, least: team.MinTeamSize, most: team.MaxTeamSize };
  });
}

/** Sizes of matches that the sizes of teams do not keep. */
function sizeRulesOf({ MinMatchSize, MaxMatchSize }: PlayFabQueue, teams: readonly DraftTeam[]) {
  const least = teams.reduce((sum, team) => sum + team.least, 0);
  const most = teams.reduce((sum, team) => sum + team.most, 0);
  return [
    ...(least < MinMatchSize ? [{ name: 'MinMatchSize', op: '>=', size: MinMatchSize }] : []),
    ...(most > MaxMatchSize ? [{ name: 'MaxMatchSize', op: '<=', size: MaxMatchSize }] : []),
  ];
}

/** The attributes of the queue, and their names there. */
function attributesOf(rules: readonly TypedRule[], askedSkill: string | undefined, report: Report) {
  const used = rules.flatMap(({ type, rule }) => {
    const kind = PLAYFAB_RULE_TYPES.get(type)?.attribute;
    return kind !== undefined && rule.Attribute ? [{ type, kind, rule, attribute: rule.Attribute }] : [];
  });
  const numbers = used.filter(({ kind }) => kind === 'number');
  const paths = (list: typeof used) => [...new Set(list.map(({ attribute }) => attribute.Path))];
  const first = (type: string) => numbers.find((one) => one.type === type)?.attribute.Path;
  const skill =
    askedSkill === undefined
      ? (first('TeamDifferenceRule') ?? first('DifferenceRule'))
      : chosen('--skill', 'the path of a number attribute of the queue', paths(numbers), askedSkill);
  const nameOf = attributeNames(paths(used), skill);
  const attributes: Record<string, { type: string; default?: unknown }> = {};
  for (const path of paths(used)) {
    const own = used.filter(({ attribute }) => attribute.Path === path);
    const { kind } = own[0]!;
    for (const other of own)
      if (other.kind !== kind)
        report.impossible(pathOf(other.attribute, 'Path'), `another rule reads it as ${TYPES[kind]}`);
    const fallback = defaultOf(own, kind, report);
    const isOfPlayer = own.some(({ attribute }) => attribute.Source === 'PlayerEntity');
    for (const { attribute } of own)
      if (!SOURCES.includes(attribute.Source ?? 'User'))
        report.impossible(
          pathOf(attribute, 'Source'),
          `Expected ${SOURCES.join(' or ')}, got ${JSON.stringify(attribute.Source)}`,
        );
    const name = nameOf(path);
    report.same(
      `attribute ${path}`,
      path === skill ? NOTES.isSkill : renamed(path, name),
      path === skill &&
        fallback !== undefined &&
        `tickets always have it: send ${String(fallback)} by default`,
      isOfPlayer && 'tickets have it; Muster reads no entity of PlayFab',
    );
    if (path !== skill)
      attributes[name] = { type: kind, ...(fallback !== undefined && { default: fallback }) };
  }
  if (skill === undefined) report.same('skill', NOTES.noSkill);
  return { attributes, nameOf };
}

const SOURCES = ['User', 'PlayerEntity'];
const TYPES = { string: 'a text', number: 'a number', strings: 'a list of texts' };

/** The default of an attribute, which all of its rules share here. */
function defaultOf(rules: readonly TypedRule[], kind: keyof typeof TYPES, report: Report): unknown {
  let first: unknown;
  for (const { rule } of rules) {
    const behavior = rule.AttributeNotSpecifiedBehavior ?? 'UseDefault';
    if (behavior === 'MatchAny') continue;
    if (behavior !== 'UseDefault')
      report.impossible(
        pathOf(rule, 'AttributeNotSpecifiedBehavior'),
        `Expected UseDefault or MatchAny, got ${JSON.stringify(behavior)}`,
      );
    const value = whole(rule.DefaultAttributeValue) ?? undefined;
    if (value === undefined) continue;
    if ((Array.isArray(value) ? 'strings' : typeof value) !== kind) {
      report.impossible(
        pathOf(rule, 'DefaultAttributeValue'),
        `Expected ${TYPES[kind]}, got ${shown(value)}`,
      );
      continue;
    }
    first ??= value;
    if (JSON.stringify(value) !== JSON.stringify(first))
      report.impossible(
        pathOf(rule, 'DefaultAttributeValue'),
        'an attribute has one default, that of the first rule that reads it',
      );
  }
  return first;
}

function add(
  { type, rule }: TypedRule,
  context: PlayFabContext,
  nameOf: (path: string) => string,
  draft: DraftRules,
): void {
  const { report, timeoutSeconds } = context;
  immaterial(rule.Name);
  const property = pathOf(rule);
  const known = PLAYFAB_RULE_TYPES.get(type);
  const attribute = known?.attribute && rule.Attribute ? nameOf(rule.Attribute.Path) : '';
  const converted =
    known === undefined
      ? `the type ${type} is not known`
      : known.attribute !== undefined && attribute === ''
        ? 'it has no Attribute'
        : known.convert(rule, context, attribute);
  if (typeof converted === 'string') {
    report.impossible(property, converted);
    return;
  }
  const { rules, steps = {}, note, differs } = converted;
  const optional = rule.SecondsUntilOptional ?? Infinity;
  const relaxing = draft.add(rule.Name, rules, (key) => {
    const before = (steps[key] ?? []).filter(({ waitTimeSeconds }) => waitTimeSeconds < optional);
    return inTime([...before, { waitTimeSeconds: optional, value: Infinity }], timeoutSeconds);
  });
  const missing =
    rule.AttributeNotSpecifiedBehavior === 'MatchAny' &&
    'every player has to have the attribute; in PlayFab one without it meets the rule';
  report.compared(property, [differs, missing, ...relaxing], note);
}

/** Properties that do not decide which players play together. */
function reportOthers(queue: PlayFabQueue, teams: readonly DraftTeam[], report: Report): void {
  const { MaxTicketSize, ServerAllocationEnabled, BuildId, BuildAliasParams, StatisticsVisibilityToPlayers } =
    queue;
  const largest = Math.max(...teams.map(({ most }) => most));
  if (MaxTicketSize != null)
    report.compared(pathOf(queue, 'MaxTicketSize'), MaxTicketSize < largest && NOTES.partySize);
  const servers = { ServerAllocationEnabled, BuildId, BuildAliasParams };
  for (const [key, value] of Object.entries(servers)) {
    if (value == null) continue;
    if (ServerAllocationEnabled)
      report.impossible(pathOf(queue, key), 'a provisioner of the definition finds the server');
    else report.same(pathOf(queue, key), key !== 'ServerAllocationEnabled' && 'no server is allocated');
  }
  if (StatisticsVisibilityToPlayers) {
    immaterial(
      StatisticsVisibilityToPlayers.ShowNumberOfPlayersMatching,
      StatisticsVisibilityToPlayers.ShowTimeToMatch,
    );
    report.same(
      pathOf(queue, 'StatisticsVisibilityToPlayers'),
      'it changes no match: backends read the statistics and show them',
    );
  }
}
