import {
  type Attribute,
  type FlexPlayer,
  type FlexRule,
  type FlexRuleSet,
  type FlexTicket,
  rulesOf,
} from './judge.ts';

/** A number in [0, 1). */
export type Random = () => number;

/** The time of every pool, in seconds since the epoch. */
export const NOW_SECONDS = 1_000_000;

/**
 * Random requests for a rule set. Their values lie where its rules decide: numbers around the constants that the rules name,
 * spread as their distances allow, texts that they name, latencies around their limits, and waits around the steps of the
 * expansions. Some values that have a default are omitted.
 */
export function randomTickets(ruleSet: FlexRuleSet, random: Random): FlexTicket[] {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const { least, most, partyMax } = sizesOf(ruleSet);
  const wanted = Math.max(2, Math.round(pick([least, least, least + 2, most, most + 3, 2 * least])));
  const parties = pick([0, 0.25, 0.25, 0.8]);
  const drawPlayer = playerDrawer(ruleSet, random);
  const waits = [0, 0, ...stepsOf(ruleSet).flatMap((wait) => [wait - 1, wait, wait + 1, 2 * wait])];
  const tickets: FlexTicket[] = [];
  for (let players = 0; players < wanted; ) {
    const id = `t${String(tickets.length).padStart(2, '0')}`;
    const size = random() < parties ? 1 + Math.floor(random() * Math.min(partyMax, 4)) : 1;
    tickets.push({
      id,
      createdSeconds: NOW_SECONDS - pick(waits),
      players: Array.from({ length: size }, (_, i) => drawPlayer(`${id}.${i}`)),
    });
    players += size;
  }
  return tickets;
}

/** A request in the form of StartMatchmaking, with the time that DescribeMatchmaking reports. */
export function requestOf({ id, createdSeconds, players }: FlexTicket): object {
  return {
    TicketId: id,
    StartTime: createdSeconds,
    Players: players.map((player) => ({
      PlayerId: player.id,
      PlayerAttributes: Object.fromEntries(
        Object.entries(player.attributes).map(([name, value]) => [name, attributeValue(value)]),
      ),
      ...(Object.keys(player.latency).length > 0 && { LatencyInMs: player.latency }),
    })),
  };
}

function attributeValue(value: Attribute): object {
  if (typeof value === 'number') return { N: value };
  if (typeof value === 'string') return { S: value };
  return Array.isArray(value) ? { SL: value } : { SDM: value };
}

function sizesOf(ruleSet: FlexRuleSet): { least: number; most: number; partyMax: number } {
  const sum = (key: 'minPlayers' | 'maxPlayers') =>
    ruleSet.teams.reduce((total, team) => total + team[key] * (team.quantity ?? 1), 0);
  return {
    least: sum('minPlayers'),
    most: sum('maxPlayers'),
    partyMax: Math.max(...ruleSet.teams.map(({ maxPlayers }) => maxPlayers)),
  };
}

function stepsOf({ expansions = [] }: FlexRuleSet): number[] {
  return expansions.flatMap(({ steps }) => steps.map(({ waitTimeSeconds }) => waitTimeSeconds));
}

const REGIONS = ['east', 'west'];

function playerDrawer(ruleSet: FlexRuleSet, random: Random): (id: string) => FlexPlayer {
  const draws = new Map(
    (ruleSet.playerAttributes ?? []).map((attribute) => [
      attribute.name,
      drawerOf(attribute, ruleSet, random),
    ]),
  );
  const latency = latencyDrawer(ruleSet, random);
  const omitted = random() < 0.3 ? 0.2 : 0;
  return (id) => {
    const attributes: Record<string, Attribute> = {};
    for (const { name, default: fallback } of ruleSet.playerAttributes ?? []) {
      if (fallback !== undefined && random() < omitted) continue;
      attributes[name] = draws.get(name)!(id);
    }
    return { id, attributes, latency: latency() };
  };
}

function drawerOf(
  { name, type, default: fallback }: NonNullable<FlexRuleSet['playerAttributes']>[number],
  ruleSet: FlexRuleSet,
  random: Random,
): (id: string) => Attribute {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const rules = rulesOf(ruleSet).filter((rule) => mentions(rule, name));
  if (type === 'number') return numberDrawer(rules, ruleSet, fallback, random);
  if (type === 'string_number_map')
    return () => ({ [pick(['arena', 'bridge'])]: Math.floor(100 * random()) });
  const words = wordsOf(ruleSet).slice(0, pick([2, 7, 7]));
  if (type === 'string') {
    const few = words.slice(0, pick([1, 2, words.length, words.length]));
    return () => pick(few);
  }
  if (rules.some(({ referenceValue }) => /\[player_?id\]/i.test(String(referenceValue))))
    return (id) => {
      // A party whose players block each other is never matched, and a queue refuses it.
      const other = `t${String(Math.floor(12 * random())).padStart(2, '0')}`;
      return random() < 0.15 && !id.startsWith(other) ? [`${other}.0`] : [];
    };
  const share = pick([0.3, 0.6, 0.9]);
  return () => {
    const list = words.filter(() => random() < share);
    return list.length > 0 ? list : [pick(words)];
  };
}

function mentions(rule: object, attribute: string): boolean {
  const text = JSON.stringify(rule);
  return text.includes(`attributes[${attribute}]`) || text.includes(`"batchAttribute":"${attribute}"`);
}

/** The texts that rules and defaults name, and some others. */
function wordsOf(ruleSet: FlexRuleSet): string[] {
  const { playerAttributes = [] } = ruleSet;
  const named = rulesOf(ruleSet).flatMap(({ referenceValue }) =>
    typeof referenceValue === 'string' && !/[[(]/.test(referenceValue) ? [referenceValue] : [],
  );
  const defaults = playerAttributes.flatMap(({ default: value }) =>
    typeof value === 'string' || Array.isArray(value) ? [value].flat() : [],
  );
  return [...new Set([...named, ...defaults, 'duel', 'raid', 'race', 'hunt', 'siege'])];
}

function numberDrawer(
  rules: readonly FlexRule[],
  ruleSet: FlexRuleSet,
  fallback: unknown,
  random: Random,
): () => number {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const numbers = (key: string) =>
    rules.flatMap((rule) => [
      ...(typeof rule[key] === 'number' ? [rule[key]] : []),
      ...(ruleSet.expansions ?? [])
        .filter(({ target }) => target === `rules[${rule.name}].${key}`)
        .flatMap(({ steps }) => steps.map(({ value }) => Number(value))),
    ]);
  const constants = numbers('referenceValue');
  const isEqual = rules.some(({ operation }) => operation === '=' || operation === '!=');
  if (isEqual) {
    const center = pick([...constants, 5]);
    const near = pick([
      [center],
      [...constants, center, center + 1],
      [center, center + 1, center + 2, center + 3],
    ]);
    return () => pick(near);
  }
  const distances = numbers('maxDistance').filter((distance) => distance > 0);
  const spread = pick(distances.length > 0 ? distances : [6]) * pick([0.6, 1, 1.5, 2.5]);
  const center = Math.max(spread, pick([...constants, typeof fallback === 'number' ? fallback : 10]));
  const step = spread < 4 ? 0.5 : 1;
  return () => Math.max(0, Math.round((center + spread * (2 * random() - 1)) / step) * step);
}

function latencyDrawer(ruleSet: FlexRuleSet, random: Random): () => Record<string, number> {
  const limits = rulesOf(ruleSet).flatMap(({ name, maxLatency }) =>
    maxLatency === undefined
      ? []
      : [
          Number(maxLatency),
          ...(ruleSet.expansions ?? [])
            .filter(({ target }) => target === `rules[${name}].maxLatency`)
            .flatMap(({ steps }) => steps.map(({ value }) => Number(value))),
        ],
  );
  if (limits.length === 0) return () => ({});
  const limit = limits[Math.floor(random() * limits.length)]!;
  const highest = [1.1, 1.4, 2][Math.floor(3 * random())]!;
  return () => {
    const latency: Record<string, number> = {};
    for (const region of REGIONS)
      if (random() < 0.9) latency[region] = 1 + Math.floor(limit * highest * random());
    return Object.keys(latency).length > 0 ? latency : { [REGIONS[0]!]: 20 };
  };
}
