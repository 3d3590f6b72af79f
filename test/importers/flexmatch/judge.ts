/**
 * FlexMatch's rule language, read a second time: from AWS's public documentation alone, without a
 * look at the import or at Muster's rules. It judges matches that others have made, and searches
 * small pools exhaustively. Sources, all of the FlexMatch developer guide: "FlexMatch rule types",
 * "FlexMatch property expressions", "Customize the match algorithm", "FlexMatch matchmaking
 * process", the rule set schemas and the examples 1 to 11.
 */

export type Attribute = number | string | string[] | Record<string, number>;

/** A player of a request, as StartMatchmaking takes it, with plain attribute values. */
export interface FlexPlayer {
  readonly id: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** Location to milliseconds. */
  readonly latency: Readonly<Record<string, number>>;
}

/** A request: one player, or a party that stays together in one team. */
export interface FlexTicket {
  readonly id: string;
  readonly players: readonly FlexPlayer[];
  readonly createdSeconds: number;
}

/** The requests of each team of a match, by the team's name (`trio_1` where quantity is above 1). */
export type FlexMatch = ReadonlyMap<string, readonly FlexTicket[]>;

/**
 * How a party counts, where AWS's pages can be read in more than one way:
 * - `each`: every player counts alone ("all players in the request must meet the match
 *   requirements", the note above the examples)
 * - `shared`: every player counts, with the value of his party (`partyAggregation`)
 * - `once`: the party counts as one, with its value
 */
export type Reading = 'each' | 'shared' | 'once';

interface Step {
  readonly waitTimeSeconds: number;
  readonly value: unknown;
}

interface FlexTeam {
  readonly name: string;
  readonly minPlayers: number;
  readonly maxPlayers: number;
  readonly quantity?: number;
}

export interface FlexRule {
  readonly name: string;
  readonly type: string;
  readonly [property: string]: unknown;
}

export interface FlexRuleSet {
  readonly teams: readonly FlexTeam[];
  readonly playerAttributes?: readonly {
    readonly name: string;
    readonly type: string;
    readonly default?: unknown;
  }[];
  readonly rules?: readonly object[];
  readonly algorithm?: { readonly expansionAgeSelection?: string };
  readonly expansions?: readonly { readonly target: string; readonly steps: readonly Step[] }[];
}

export function rulesOf(ruleSet: FlexRuleSet): readonly FlexRule[] {
  return (ruleSet.rules ?? []) as readonly FlexRule[];
}

/** The names of the teams of a match: one for each instance of a team's definition. */
export function teamNames(ruleSet: FlexRuleSet): string[] {
  return ruleSet.teams.flatMap(instances);
}

function instances(team: FlexTeam): string[] {
  const quantity = team.quantity ?? 1;
  if (quantity === 1) return [team.name];
  return Array.from({ length: quantity }, (_, index) => `${team.name}_${index + 1}`);
}

/** The reason why the match is not allowed `nowSeconds` into the run, or undefined where it is. */
export function fault(
  ruleSet: FlexRuleSet,
  match: FlexMatch,
  nowSeconds: number,
  reading: Reading,
): string | undefined {
  const relaxed = expanded(ruleSet, match, nowSeconds);
  return sizeFault(relaxed, match) ?? ruleFault(relaxed, match, reading);
}

/**
 * The rule set with the expansions that the match's age has reached. The age is that of its newest
 * request, or of its oldest where the algorithm says so.
 */
function expanded(ruleSet: FlexRuleSet, match: FlexMatch, nowSeconds: number): FlexRuleSet {
  const created = [...match.values()].flat().map((ticket) => ticket.createdSeconds);
  const oldest = ruleSet.algorithm?.expansionAgeSelection === 'oldest';
  const ageSeconds = nowSeconds - (oldest ? Math.min(...created) : Math.max(...created));
  return withExpansions(ruleSet, ageSeconds);
}

function withExpansions(ruleSet: FlexRuleSet, ageSeconds: number): FlexRuleSet {
  const reached = (ruleSet.expansions ?? []).flatMap(({ target, steps }) => {
    const step = steps.filter((one) => one.waitTimeSeconds <= ageSeconds).at(-1);
    return step === undefined ? [] : { target, step };
  });
  if (reached.length === 0) return ruleSet;
  const changed = structuredClone(ruleSet) as FlexRuleSet;
  for (const { target, step } of reached) {
    const parts = /^(rules|teams)\[([^\]]+)\]\.(\w+)$/.exec(target);
    if (parts === null) throw new Error(`Expected an expansion's target, got ${target}`);
    const [, list, names = '', property = ''] = parts;
    const elements: readonly { readonly name: string }[] =
      list === 'teams' ? changed.teams : rulesOf(changed);
    for (const name of names.split(',')) {
      const element = elements.find((one) => one.name === name.trim());
      if (element === undefined) throw new Error(`Nothing is named ${name}: ${target}`);
      Object.assign(element, { [property]: step.value });
    }
  }
  return changed;
}

function sizeFault(ruleSet: FlexRuleSet, match: FlexMatch): string | undefined {
  for (const team of ruleSet.teams) {
    for (const name of instances(team)) {
      const players = playersOf(match, name).length;
      if (players < team.minPlayers || players > team.maxPlayers) {
        return `${name} has ${players} players, of ${team.minPlayers} to ${team.maxPlayers}`;
      }
    }
  }
  return undefined;
}

function ruleFault(ruleSet: FlexRuleSet, match: FlexMatch, reading: Reading): string | undefined {
  const rules = rulesOf(ruleSet);
  const statements = rules.filter((rule) => rule.type === 'compound').map(statementOf);
  const combined = new Set(statements.flatMap((statement) => statement.match(/[^\s(),]+/g) ?? []));
  const holds = (rule: FlexRule) => ruleHolds(ruleSet, rule, match, reading);
  for (const rule of rules) {
    if (rule.type !== 'compound' && combined.has(rule.name)) continue;
    if (!holds(rule)) return rule.name;
  }
  return undefined;
}

function ruleHolds(ruleSet: FlexRuleSet, rule: FlexRule, match: FlexMatch, reading: Reading): boolean {
  const scope: Scope = { ruleSet, match, reading, aggregation: rule.partyAggregation };
  switch (rule.type) {
    case 'absoluteSort':
    case 'distanceSort':
      return true;
    case 'compound':
      return statementHolds(ruleSet, statementOf(rule), match, reading);
    case 'comparison':
      return comparisonHolds(rule, scope);
    case 'distance':
      return distanceHolds(rule, scope);
    case 'batchDistance':
      return batchDistanceHolds(rule, scope);
    case 'collection':
      return collectionHolds(rule, scope);
    case 'latency':
      return latencyHolds(rule, scope);
    default:
      throw new Error(`Expected a type of rule, got ${rule.type}`);
  }
}

function statementOf(rule: FlexRule): string {
  return String(rule.statement);
}

function statementHolds(
  ruleSet: FlexRuleSet,
  statement: string,
  match: FlexMatch,
  reading: Reading,
): boolean {
  const reader = new Reader(statement);
  const truth = (): boolean => {
    const word = reader.word();
    if (!reader.accepts('(')) {
      const rule = rulesOf(ruleSet).find((one) => one.name === word);
      if (rule === undefined) throw new Error(`No rule is named ${word}`);
      return ruleHolds(ruleSet, rule, match, reading);
    }
    const values: boolean[] = [];
    do values.push(truth());
    while (reader.accepts(','));
    reader.expect(')');
    return operators[word]?.(values) ?? fail(`${word} is no operator`);
  };
  return truth();
}

const operators: Record<string, (values: readonly boolean[]) => boolean> = {
  and: (values) => values.every(Boolean),
  or: (values) => values.some(Boolean),
  not: (values) => !values[0],
  xor: (values) => values.filter(Boolean).length === 1,
};

// Rules of values

function comparisonHolds(rule: FlexRule, scope: Scope): boolean {
  const compare = comparisons[String(rule.operation)] ?? fail('an operation of a comparison');
  return measurementsOf(rule).every((text) => {
    const measured = evaluate(text, scope);
    if (rule.referenceValue !== undefined) {
      const reference = referenceOf(rule, scope);
      return leaves(measured).every((value) => compare(value, reference));
    }
    return innermost(measured).every((list) => {
      const different = new Set(list).size;
      return rule.operation === '=' ? different <= 1 : different === list.length;
    });
  });
}

const comparisons: Record<string, (value: Leaf, reference: Leaf) => boolean> = {
  '<': (value, reference) => value < reference,
  '<=': (value, reference) => value <= reference,
  '=': (value, reference) => value === reference,
  '!=': (value, reference) => value !== reference,
  '>': (value, reference) => value > reference,
  '>=': (value, reference) => value >= reference,
};

const tolerance = 1e-9;

function distanceHolds(rule: FlexRule, scope: Scope): boolean {
  const reference = Number(referenceOf(rule, scope));
  const least = Number(rule.minDistance ?? 0);
  const most = Number(rule.maxDistance ?? Number.POSITIVE_INFINITY);
  return measurementsOf(rule)
    .flatMap((text) => leaves(evaluate(text, scope)))
    .every((value) => {
      const distance = Math.abs(Number(value) - reference);
      return distance >= least - tolerance && distance <= most + tolerance;
    });
}

function batchDistanceHolds(rule: FlexRule, scope: Scope): boolean {
  const attribute = String(rule.batchAttribute);
  // "A maximum distance between the batchAttribute of all tickets": a party counts as one in every reading.
  const tickets: Scope = { ...scope, reading: 'once' };
  const values = leaves(evaluate(`flatten(teams[*].players.attributes[${attribute}])`, tickets));
  if (rule.maxDistance === undefined) return new Set(values).size <= 1;
  const numbers = values.map(Number);
  return Math.max(...numbers) - Math.min(...numbers) <= Number(rule.maxDistance) + tolerance;
}

function referenceOf(rule: FlexRule, scope: Scope): Leaf {
  const reference = rule.referenceValue;
  if (typeof reference === 'number') return reference;
  const text = String(reference);
  if (!isExpression(text)) return text;
  const value = evaluate(text, scope);
  if (Array.isArray(value)) throw new Error(`Expected one value of ${text}`);
  return value;
}

// Rules of collections

function collectionHolds(rule: FlexRule, scope: Scope): boolean {
  const least = Number(rule.minCount ?? Number.NEGATIVE_INFINITY);
  const most = Number(rule.maxCount ?? Number.POSITIVE_INFINITY);
  const within = (count: number) => count >= least && count <= most;
  return measurementsOf(rule).every((text) => {
    const lists = collectionsOf(evaluate(text, scope));
    switch (rule.operation) {
      case 'intersection':
        return lists.every((group) => within(common(group).length));
      case 'contains': {
        const wanted = String(rule.referenceValue);
        return lists.every((group) => within(group.filter((list) => list.includes(wanted)).length));
      }
      case 'reference_intersection_count': {
        const reference = leaves(evaluate(String(rule.referenceValue), scope));
        const shared = (list: readonly Leaf[]) =>
          new Set(list.filter((value) => reference.includes(value))).size;
        return lists.flat().every((list) => within(shared(list)));
      }
      default:
        throw new Error(`Expected an operation of a collection, got ${rule.operation}`);
    }
  });
}

/** String lists by group: one group where the measurement is flat, one for each team otherwise. */
function collectionsOf(value: Value): Leaf[][][] {
  const depth = depthOf(value);
  if (depth === 2) return [value as Leaf[][]];
  if (depth === 3) return value as Leaf[][][];
  throw new Error('Expected a list of string lists');
}

function common(lists: readonly (readonly Leaf[])[]): Leaf[] {
  const [first = [], ...others] = lists;
  return [...new Set(first)].filter((value) => others.every((list) => list.includes(value)));
}

// The rule of latency

function latencyHolds(rule: FlexRule, scope: Scope): boolean {
  const parties = [...scope.match.values()].flat().flatMap((ticket) => latencies(ticket, scope));
  const most = Number(rule.maxLatency ?? Number.POSITIVE_INFINITY);
  const locations = [...new Set(parties.flatMap((party) => Object.keys(party)))];
  if (rule.maxDistance === undefined) {
    return parties.every((party) => Object.values(party).some((latency) => latency <= most));
  }
  return locations.some((location) => {
    const values = parties.map((party) => party[location] ?? Number.POSITIVE_INFINITY);
    if (values.some((latency) => latency > most)) return false;
    const reference =
      rule.distanceReference === 'avg'
        ? values.reduce((sum, value) => sum + value, 0) / values.length
        : Math.min(...values);
    return values.every((value) => Math.abs(value - reference) <= Number(rule.maxDistance) + tolerance);
  });
}

/** Whether one location is within the rule's maximum for every player: what a placement needs. */
export function shareLocation(ruleSet: FlexRuleSet, match: FlexMatch, nowSeconds: number): boolean {
  const relaxed = expanded(ruleSet, match, nowSeconds);
  const limits = rulesOf(relaxed)
    .filter((rule) => rule.type === 'latency' && rule.maxLatency !== undefined)
    .map((rule) => Number(rule.maxLatency));
  if (limits.length === 0) return true;
  const most = Math.min(...limits);
  const players = [...match.values()].flat().flatMap((ticket) => ticket.players);
  const locations = Object.keys(players[0]?.latency ?? {});
  return locations.some((location) =>
    players.every((player) => (player.latency[location] ?? Number.POSITIVE_INFINITY) <= most),
  );
}

function latencies(ticket: FlexTicket, scope: Scope): Record<string, number>[] {
  if (scope.reading === 'each') return ticket.players.map((player) => ({ ...player.latency }));
  const party: Record<string, number> = {};
  for (const location of Object.keys(ticket.players[0]?.latency ?? {})) {
    const values = ticket.players.map((player) => player.latency[location]);
    if (values.some((value) => value === undefined)) continue;
    party[location] = aggregated(values as number[], scope.aggregation) as number;
  }
  return [party];
}

// Property expressions

type Leaf = number | string;
type Value = Leaf | Value[];

interface Scope {
  readonly ruleSet: FlexRuleSet;
  readonly match: FlexMatch;
  readonly reading: Reading;
  /** The rule's `partyAggregation`: avg, or union for collections, where the rule has none. */
  readonly aggregation: unknown;
}

function measurementsOf(rule: FlexRule): string[] {
  const measurements = rule.measurements;
  return (Array.isArray(measurements) ? measurements : [measurements]).map(String);
}

function isExpression(text: string): boolean {
  return /\bteams\s*\[/.test(text);
}

function evaluate(text: string, scope: Scope): Value {
  const reader = new Reader(text);
  const value = term(reader, scope);
  reader.end();
  return value;
}

function term(reader: Reader, scope: Scope): Value {
  const word = reader.word();
  if (word === 'team' || word === 'teams') return path(reader, scope);
  const apply = functions[word] ?? fail(`${word} is no aggregation`);
  reader.expect('(');
  const value = term(reader, scope);
  reader.expect(')');
  return apply(value);
}

function path(reader: Reader, scope: Scope): Value {
  const names = reader.bracketed();
  reader.expect('.');
  if (reader.word() !== 'players') throw new Error('Expected .players');
  let attribute: string | undefined;
  let isId = false;
  if (reader.accepts('.')) {
    if (reader.word() !== 'attributes') throw new Error('Expected .attributes');
    attribute = reader.bracketed();
  } else if (reader.peek() === '[') {
    if (reader.bracketed().toLowerCase() !== 'playerid') throw new Error('Expected [playerId]');
    isId = true;
  }
  const valuesOf = (team: string): Value => {
    if (attribute !== undefined) return attributesOf(team, attribute, scope);
    const players = playersOf(scope.match, team);
    return players.map((player) => (isId ? player.id : 1));
  };
  const chosen = names.split(',').map((name) => name.trim());
  const single = chosen.length === 1 && teamNames(scope.ruleSet).includes(chosen[0] as string);
  if (single) return valuesOf(chosen[0] as string);
  const teams = scope.ruleSet.teams.filter((team) => names === '*' || chosen.includes(team.name));
  return teams.flatMap(instances).map(valuesOf);
}

/** One value a player, or a request, of the team. */
function attributesOf(team: string, attribute: string, scope: Scope): Value[] {
  const declared = scope.ruleSet.playerAttributes?.find((one) => one.name === attribute);
  return (scope.match.get(team) ?? []).flatMap((ticket): Value[] => {
    const values = ticket.players.map((player) => {
      const value = player.attributes[attribute] ?? (declared?.default as Attribute | undefined);
      return (value ?? fail(`${player.id} has no ${attribute}`)) as Value;
    });
    if (scope.reading === 'each' || values.length === 1) return values;
    const party = aggregated(values, scope.aggregation);
    if (party === undefined) return values;
    return scope.reading === 'once' ? [party] : values.map(() => party);
  });
}

/** A party's value, or undefined where the kind of value has none (strings that differ). */
function aggregated(values: readonly Value[], aggregation: unknown): Value | undefined {
  if (values.every((value) => typeof value === 'number')) {
    if (aggregation === 'min') return Math.min(...values);
    if (aggregation === 'max') return Math.max(...values);
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  }
  if (values.every((value) => Array.isArray(value))) {
    if (aggregation === 'intersection') return common(values as Leaf[][]);
    return [...new Set((values as Leaf[][]).flat())];
  }
  return values.every((value) => value === values[0]) ? values[0] : undefined;
}

/** "All operations on a nested list operate on each sublist individually." */
function onNumbers(apply: (numbers: readonly number[]) => number) {
  const lifted = (value: Value): Value => {
    if (!Array.isArray(value)) return fail('a list');
    if (value.some((one) => Array.isArray(one))) return value.map(lifted);
    return apply(value as number[]);
  };
  return lifted;
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}

const functions: Record<string, (value: Value) => Value> = {
  min: onNumbers((numbers) => Math.min(...numbers)),
  max: onNumbers((numbers) => Math.max(...numbers)),
  avg: onNumbers(mean),
  sum: onNumbers((numbers) => numbers.reduce((sum, value) => sum + value, 0)),
  median: onNumbers((numbers) => {
    const sorted = numbers.toSorted((a, b) => a - b);
    return mean(sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1));
  }),
  stddev: onNumbers((numbers) => Math.sqrt(mean(numbers.map((one) => (one - mean(numbers)) ** 2)))),
  count: onNumbers((numbers) => numbers.length),
  flatten: (value) => (value as Value[]).flat() as Value[],
  set_intersection: (value) => {
    const apply = (list: Value): Value =>
      depthOf(list) === 2 ? common(list as Leaf[][]) : (list as Value[]).map(apply);
    return apply(value);
  },
};

function depthOf(value: Value): number {
  if (!Array.isArray(value)) return 0;
  return 1 + Math.max(0, ...value.map(depthOf));
}

function leaves(value: Value): Leaf[] {
  return Array.isArray(value) ? value.flatMap(leaves) : [value];
}

function innermost(value: Value): Leaf[][] {
  if (!Array.isArray(value)) return [[value]];
  if (value.some((one) => Array.isArray(one))) return value.flatMap(innermost);
  return [value as Leaf[]];
}

function playersOf(match: FlexMatch, team: string): FlexPlayer[] {
  return (match.get(team) ?? []).flatMap((ticket) => ticket.players);
}

class Reader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  peek(): string | undefined {
    while (this.text[this.at] === ' ') this.at += 1;
    return this.text[this.at];
  }

  word(): string {
    this.peek();
    const found = /^[^\s(),.[\]]+/.exec(this.text.slice(this.at))?.[0];
    if (found === undefined) throw new Error(`Expected a word at ${this.at}: ${this.text}`);
    this.at += found.length;
    return found;
  }

  bracketed(): string {
    this.expect('[');
    const end = this.text.indexOf(']', this.at);
    const inside = this.text.slice(this.at, end);
    this.at = end + 1;
    return inside.trim();
  }

  accepts(sign: string): boolean {
    if (this.peek() !== sign) return false;
    this.at += 1;
    return true;
  }

  expect(sign: string): void {
    if (!this.accepts(sign)) throw new Error(`Expected ${sign} at ${this.at}: ${this.text}`);
  }

  end(): void {
    if (this.peek() !== undefined) throw new Error(`Expected the end at ${this.at}: ${this.text}`);
  }
}

function fail(expected: string): never {
  throw new Error(`Expected ${expected}`);
}

// Search

/**
 * A match that the rules allow and that contains the request `anchor` (any request where it is
 * omitted), found by trying every choice of requests and teams: a pool of up to about ten requests.
 */
export function someMatch(
  ruleSet: FlexRuleSet,
  pool: readonly FlexTicket[],
  nowSeconds: number,
  allowed: (match: FlexMatch) => boolean,
  anchor?: string,
): FlexMatch | undefined {
  const names = teamNames(ruleSet);
  const largest = largestSizes(ruleSet);
  const teams = new Map<string, FlexTicket[]>(names.map((name) => [name, []]));
  const place = (index: number): boolean => {
    const ticket = pool[index];
    if (ticket === undefined) {
      if ([...teams.values()].every((one) => one.length === 0)) return false;
      const relaxed = expanded(ruleSet, teams, nowSeconds);
      return sizeFault(relaxed, teams) === undefined && allowed(teams);
    }
    for (const [name, tickets] of teams) {
      const size = playersOf(teams, name).length + ticket.players.length;
      if (size > (largest.get(name) ?? 0)) continue;
      tickets.push(ticket);
      if (place(index + 1)) return true;
      tickets.pop();
    }
    return ticket.id !== anchor && place(index + 1);
  };
  return place(0) ? teams : undefined;
}

/** The largest size that a team's definition or any of its expansions allows, by instance. */
function largestSizes(ruleSet: FlexRuleSet): Map<string, number> {
  const ages = (ruleSet.expansions ?? []).flatMap(({ steps }) => steps.map((step) => step.waitTimeSeconds));
  const sizes = new Map<string, number>();
  for (const age of [-1, ...ages]) {
    for (const team of withExpansions(ruleSet, age).teams) {
      for (const name of instances(team)) {
        sizes.set(name, Math.max(sizes.get(name) ?? 0, team.maxPlayers));
      }
    }
  }
  return sizes;
}
