import { shown } from '../vocabulary/expected.ts';
import type { Scoped } from './measures.ts';
import type { RuleFault, RulesSurroundings } from './rule-type.ts';
import type { Attribute, Attributes } from './types.ts';
import { SKILL } from './values.ts';

/** Contradictions in the definition of an attribute. */
export function attributeFaults(name: string, attribute: Attribute): RuleFault[] {
  const faults: RuleFault[] = [];
  if (name === SKILL) {
    faults.push({
      path: [],
      message: 'Expected another name than skill, which every player has: rename the attribute',
    });
  }
  if (
    attribute.type === 'number' &&
    attribute.min !== undefined &&
    attribute.max !== undefined &&
    attribute.min > attribute.max
  ) {
    faults.push({
      path: ['max'],
      message: `Expected at least min (${attribute.min}), got ${attribute.max}: raise max or lower min`,
    });
    return faults;
  }
  const fault = attribute.default === undefined ? undefined : valueFault(attribute.default, attribute);
  if (fault !== undefined) faults.push({ path: ['default'], message: `${fault}: change the default` });
  return faults;
}

/** The fault of an attribute's value; undefined when it is allowed. */
export function valueFault(value: unknown, attribute: Attribute): string | undefined {
  if (attribute.type === 'number') {
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = attribute;
    if (typeof value !== 'number') return `Expected a number, got ${shown(value)}`;
    if (value < min || value > max) return `Expected ${rangeText(attribute)}, got ${value}`;
    return undefined;
  }
  const { values } = attribute;
  const isAllowed = (one: string) => values === undefined || values.includes(one);
  const allowed = values && `one of ${values.join(', ')}`;
  if (attribute.type === 'string') {
    if (typeof value !== 'string') return `Expected ${allowed ?? 'text'}, got ${shown(value)}`;
    return isAllowed(value) ? undefined : `Expected ${allowed}, got ${shown(value)}`;
  }
  if (!Array.isArray(value)) return `Expected a list of texts, got ${shown(value)}`;
  const wrong = value.find((one) => !isAllowed(one));
  return wrong === undefined ? undefined : `Expected each to be ${allowed}, got ${shown(wrong)}`;
}

export function rangeText({ min, max }: { min?: number | undefined; max?: number | undefined }): string {
  if (min !== undefined && max !== undefined) return `a number from ${min} to ${max}`;
  return min !== undefined ? `a number from ${min} up` : `a number up to ${max}`;
}

/** The faults of a rule that reads an attribute of one of these types. */
export function attributeUse(
  name: string,
  types: readonly Attribute['type'][],
  attributes: Attributes,
  path: readonly string[] = ['attribute'],
): RuleFault[] {
  const wanted = types.join(' or ');
  if (name === SKILL) {
    if (types.includes('number')) return [];
    return [{ path, message: `Expected an attribute of type ${wanted}, got skill, which is a number` }];
  }
  if (!Object.hasOwn(attributes, name)) {
    const known = Object.keys(attributes);
    const list = known.length === 0 ? 'the queue has none' : `known are ${known.join(', ')}`;
    return [
      { path, message: `Expected an attribute of this queue, got ${name} (${list}): add it to attributes` },
    ];
  }
  const { type } = attributes[name];
  if (types.includes(type)) return [];
  return [{ path, message: `Expected an attribute of type ${wanted}, got ${name}, whose type is ${type}` }];
}

/** More shared values than an attribute has. */
export function sharedFaults(name: string, atLeast: number | undefined, attributes: Attributes): RuleFault[] {
  const attribute = attributes[name];
  const values = attribute?.type === 'strings' ? attribute.values : undefined;
  if (values === undefined || (atLeast ?? 1) <= values.length) return [];
  const message = `Expected at most the ${values.length} values of ${name}, got ${atLeast}: no players share more`;
  return [{ path: ['atLeast'], message }];
}

/** A rule whose limit is `max` needs `max` or a cost; otherwise it has no effect. */
export function limitFaults({ max }: { max?: number | undefined }, cost: number | undefined): RuleFault[] {
  if (max !== undefined || cost !== undefined) return [];
  return [
    { path: ['max'], message: 'Expected max, cost or both, got none: the rule would permit every game' },
  ];
}

/** A rule without effect. @param why the rule holds in every game */
export function withoutEffect(why: string, path: readonly (string | number)[] = ['type']): RuleFault {
  const message = `Expected a rule that may forbid a match or cost something, got one that holds in every match: ${why}; change or remove it`;
  return { path, message };
}

/** A rule between teams has no effect where a game has only one. */
export function idleInOneTeam(
  why: string,
  path: readonly string[],
  { teams }: RulesSurroundings,
): RuleFault | undefined {
  return teams === 1 ? withoutEffect(`${why}, and a match has one team`, path) : undefined;
}

/** The maximum of players whom a rule judges together; undefined when the definition does not determine it. */
export function judgedMax(
  { scope, team }: { readonly scope?: string | undefined; readonly team?: string | undefined },
  { seats, teamSize, teamSizes = {} }: RulesSurroundings,
): number | undefined {
  if (team !== undefined) return Object.hasOwn(teamSizes, team) ? teamSizes[team] : undefined;
  return scope === undefined || scope === 'game' ? seats : teamSize;
}

/** A rule that compares players has no effect where it judges one at a time. */
export function idleAlone(rule: object, surroundings: RulesSurroundings): RuleFault | undefined {
  const { scope, team } = rule as Parameters<typeof judgedMax>[0];
  if (judgedMax({ scope, team }, surroundings) !== 1) return undefined;
  const where = team === undefined ? (scope === undefined ? 'a match' : 'each team') : `team ${team}`;
  return withoutEffect(
    `it compares players, and ${where} has one`,
    team !== undefined ? ['team'] : scope !== undefined ? ['scope'] : ['type'],
  );
}

/** The difference of the greatest and the least value of an attribute; infinite when it has no limits. */
export function spanOf(name: string, attributes: Attributes): number {
  const attribute = attributes[name];
  if (name === SKILL || attribute?.type !== 'number') return Number.POSITIVE_INFINITY;
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = attribute;
  return max - min;
}

/** A limit that no difference of values exceeds; with a cost only where there is no difference. */
export function idleLimit(
  {
    attribute,
    max = Number.POSITIVE_INFINITY,
  }: { readonly attribute: string; readonly max?: number | undefined },
  cost: number | undefined,
  attributes: Attributes,
): RuleFault | undefined {
  const span = spanOf(attribute, attributes);
  if (span > (cost === undefined ? max : 0)) return undefined;
  return withoutEffect(`values of ${attribute} differ by at most ${span}`, ['max']);
}

/** A rule with a scope and a kind of team, or with a kind that the queue does not have. */
export function scopeFaults({ scope, team }: Scoped, { teamKinds }: RulesSurroundings): RuleFault[] {
  if (team === undefined) return [];
  const faults = teamFaults(team, teamKinds, ['team']);
  if (scope === undefined) return faults;
  return [{ path: ['scope'], message: 'Expected scope or team, got both: remove scope' }, ...faults];
}

/** A rule about the teams of a kind that the queue does not have. */
export function teamFaults(
  team: string,
  kinds: readonly string[] | undefined,
  path: readonly (string | number)[],
): RuleFault[] {
  if (kinds?.includes(team)) return [];
  const known = kinds === undefined ? 'its teams have no names' : `its kinds are ${kinds.join(', ')}`;
  return [{ path, message: `Expected a kind of team of this queue, got ${JSON.stringify(team)} (${known})` }];
}
