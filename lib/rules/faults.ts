import { levelsOf } from './levels.ts';
import type {
  Attribute,
  Attributes,
  InnerRule,
  RelaxStep,
  Rule,
  RuleBody,
  RulesDefinition,
  Side,
} from './types.ts';
import { SKILL } from './values.ts';

/** A fault of a definition, and its position. */
export interface RuleFault {
  readonly path: readonly (string | number)[];
  /** What was expected, what was found, and what to do. */
  readonly message: string;
}

/** The other fields of a definition that rules depend on. */
export interface RulesSurroundings {
  /** The names of the kinds of team; undefined when the queue names none. */
  readonly teamKinds?: readonly string[] | undefined;
  /** The players of a team by kind; undefined when the queue names none. */
  readonly teamSizes?: Readonly<Record<string, number>> | undefined;
  /** The number of teams; undefined when the definition does not determine it. */
  readonly teams?: number | undefined;
  /** The number of players in a game; undefined when the definition does not determine it. */
  readonly seats?: number | undefined;
  /** The fewest players with which a game may start. @default seats */
  readonly seatsMin?: number | undefined;
}

/** Contradictions in the attributes and rules of a definition whose fields have the right types. */
export function ruleFaults(
  { attributes = {}, rules = [] }: RulesDefinition,
  surroundings: RulesSurroundings = {},
): RuleFault[] {
  const faults = Object.entries(attributes).flatMap(([name, attribute]) =>
    attributeFaults(name, attribute).map(({ path, message }) => ({
      path: ['attributes', name, ...path],
      message,
    })),
  );
  rules.forEach((rule, i) => {
    const at = ['rules', i];
    const first = rules.findIndex(({ name }) => name === rule.name);
    if (first < i) {
      faults.push({
        path: [...at, 'name'],
        message: `Expected a unique name, got ${JSON.stringify(rule.name)}, the name of rule ${first}: rename one of them`,
      });
    }
    if (rule.type === 'latency' && rules.findIndex(({ type }) => type === 'latency') < i) {
      faults.push({
        path: [...at, 'type'],
        message: 'Expected one latency rule, got another: a match has one region, so merge the two rules',
      });
    }
    const found = [
      ...bodyFaults(rule, rule.cost, attributes, surroundings),
      ...impossibleFaults(rule, attributes, surroundings),
      ...relaxFaults(rule),
    ];
    for (const { path, message } of found) faults.push({ path: [...at, ...path], message });
  });
  return faults;
}

function attributeFaults(name: string, attribute: Attribute): RuleFault[] {
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

function rangeText({ min, max }: { min?: number | undefined; max?: number | undefined }): string {
  if (min !== undefined && max !== undefined) return `a number from ${min} to ${max}`;
  return min !== undefined ? `a number from ${min} up` : `a number up to ${max}`;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function bodyFaults(
  rule: RuleBody,
  cost: number | undefined,
  attributes: Attributes,
  surroundings: RulesSurroundings,
): RuleFault[] {
  switch (rule.type) {
    case 'same':
    case 'different':
      return attributeUse(rule.attribute, ['number', 'string'], attributes);
    case 'within':
    case 'balance':
      return [
        ...attributeUse(rule.attribute, ['number'], attributes),
        ...limitFaults(rule, cost),
        ...(rule.type === 'balance' ? loneTeamFaults('balance compares teams', ['type'], surroundings) : []),
      ];
    case 'latency':
      return limitFaults(rule, cost);
    case 'common': {
      const attribute = attributes[rule.attribute];
      const values = attribute?.type === 'strings' ? attribute.values : undefined;
      return [
        ...attributeUse(rule.attribute, ['strings'], attributes),
        ...(values !== undefined && (rule.atLeast ?? 1) > values.length
          ? [
              {
                path: ['atLeast'],
                message: `Expected at most the ${values.length} values of ${rule.attribute}, got ${rule.atLeast}: no players share more`,
              },
            ]
          : []),
      ];
    }
    case 'count':
      return [
        ...attributeUse(rule.attribute, ['number', 'string', 'strings'], attributes),
        ...countFaults(rule, attributes, surroundings),
      ];
    case 'compare':
      return compareFaults(rule, attributes, surroundings);
    case 'recent':
      return rule.scope === 'opponents'
        ? loneTeamFaults('opponents play in different teams', ['scope'], surroundings)
        : [];
    case 'anyOf':
      return rule.rules.flatMap((inner, i) =>
        bodyFaults(inner, undefined, attributes, surroundings).map(({ path, message }) => ({
          path: ['rules', i, ...path],
          message,
        })),
      );
  }
}

/** Rules that forbid every game, however long its tickets have waited. */
function impossibleFaults(
  rule: Rule,
  attributes: Attributes,
  { seats, seatsMin = seats }: RulesSurroundings,
): RuleFault[] {
  if (rule.cost !== undefined || rule.relax?.some(({ off }) => off)) return [];
  if (rule.type === 'different' && rule.scope !== 'team') {
    const attribute = attributes[rule.attribute];
    const values = attribute?.type === 'string' ? attribute.values : undefined;
    if (values === undefined || seatsMin === undefined || values.length >= seatsMin) return [];
    const message = `Expected an attribute with at least ${seatsMin} values, one for each player of a game, got ${rule.attribute} with ${values.length}: no game has so many different ones`;
    return [{ path: ['attribute'], message }];
  }
  return rule.type === 'compare' ? outOfRangeFaults(rule, attributes) : [];
}

/** A number that no value of an attribute reaches. */
function outOfRangeFaults(rule: Extract<Rule, { type: 'compare' }>, attributes: Attributes): RuleFault[] {
  const { left, right, op } = rule;
  if (typeof left === 'number' || typeof right !== 'number' || op === undefined) return [];
  const attribute = attributes[left.attribute];
  if (attribute?.type !== 'number' || left.of === 'sum' || left.of === 'count') return [];
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = attribute;
  const limits = [
    right,
    ...(rule.relax ?? []).flatMap((step) => (typeof step.right === 'number' ? [step.right] : [])),
  ];
  const loosest = op === '<=' ? Math.max(...limits) : op === '>=' ? Math.min(...limits) : right;
  if ((op === '<=' || loosest <= max) && (op === '>=' || loosest >= min)) return [];
  const message = `Expected ${rangeText(attribute)}, which the values of ${left.attribute} are, got ${right}: no game has such a ${left.of}`;
  return [{ path: ['right'], message }];
}

function attributeUse(
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

/** A rule whose limit is `max` needs `max` or a cost; otherwise it has no effect. */
function limitFaults({ max }: { max?: number | undefined }, cost: number | undefined): RuleFault[] {
  if (max !== undefined || cost !== undefined) return [];
  return [
    { path: ['max'], message: 'Expected max, cost or both, got none: the rule would permit every game' },
  ];
}

/** A rule between teams has no effect where a game has only one. */
function loneTeamFaults(why: string, path: readonly string[], { teams }: RulesSurroundings): RuleFault[] {
  if (teams !== 1) return [];
  return [
    {
      path,
      message: `Expected a queue of at least two teams, got one: ${why}, so the rule would permit every game; remove it`,
    },
  ];
}

function countFaults(
  rule: Extract<InnerRule, { type: 'count' }>,
  attributes: Attributes,
  { seats, teamKinds, teamSizes = {} }: RulesSurroundings,
): RuleFault[] {
  const { attribute, value, atLeast, atMost, scope, team } = rule;
  const faults: RuleFault[] = [];
  const known = attribute === SKILL ? ({ type: 'number' } as const) : attributes[attribute];
  if (known !== undefined) {
    const fault = valueFault(known.type === 'strings' ? [value] : value, known);
    if (fault !== undefined) faults.push({ path: ['value'], message: fault });
  }
  if (atLeast === undefined && atMost === undefined) {
    faults.push({
      path: ['atLeast'],
      message: 'Expected atLeast, atMost or both, got none: the rule would permit every game',
    });
  }
  if (atLeast !== undefined && atMost !== undefined && atLeast > atMost) {
    faults.push({
      path: ['atLeast'],
      message: `Expected at most atMost (${atMost}), got ${atLeast}: no game has that many`,
    });
  }
  if (atLeast !== undefined && seats !== undefined && atLeast > seats) {
    faults.push({
      path: ['atLeast'],
      message: `Expected at most the ${seats} players of a game, got ${atLeast}: lower it`,
    });
  }
  if (team !== undefined) {
    if (scope !== undefined) {
      faults.push({ path: ['scope'], message: 'Expected scope or team, got both: remove scope' });
    }
    faults.push(...teamFaults(team, teamKinds, ['team']));
    const size = Object.hasOwn(teamSizes, team) ? teamSizes[team]! : Number.POSITIVE_INFINITY;
    if (atLeast !== undefined && atLeast > size) {
      faults.push({
        path: ['atLeast'],
        message: `Expected at most the ${size} players of team ${team}, got ${atLeast}: lower it`,
      });
    }
  }
  return faults;
}

function teamFaults(
  team: string,
  kinds: readonly string[] | undefined,
  path: readonly (string | number)[],
): RuleFault[] {
  if (kinds?.includes(team)) return [];
  const known = kinds === undefined ? 'its teams have no names' : `its kinds are ${kinds.join(', ')}`;
  return [{ path, message: `Expected a kind of team of this queue, got ${JSON.stringify(team)} (${known})` }];
}

function compareFaults(
  { left, right, op, max }: Extract<InnerRule, { type: 'compare' }>,
  attributes: Attributes,
  { teamKinds }: RulesSurroundings,
): RuleFault[] {
  const faults: RuleFault[] = [];
  if ((op === undefined) === (max === undefined)) {
    faults.push({
      path: ['op'],
      message: `Expected op or max, got ${op === undefined ? 'none' : 'both'}: give exactly one of them`,
    });
  }
  if (typeof left === 'number' && typeof right === 'number') {
    faults.push({
      path: ['left'],
      message: `Expected a measure of players on one side, got the numbers ${left} and ${right}`,
    });
  }
  const sides: [string, Side][] = [
    ['left', left],
    ['right', right],
  ];
  for (const [key, side] of sides) {
    if (typeof side === 'number') continue;
    const types: Attribute['type'][] = side.of === 'count' ? ['number', 'string', 'strings'] : ['number'];
    faults.push(...attributeUse(side.attribute, types, attributes, [key, 'attribute']));
    if (side.team !== undefined) faults.push(...teamFaults(side.team, teamKinds, [key, 'team']));
  }
  return faults;
}

/** The direction in which a relaxation may change each key of a rule: 1 up, −1 down, 0 not at all. */
function looserWay(rule: RuleBody, key: keyof RelaxStep): 1 | -1 | 0 {
  if (rule.type === 'compare' && (key === 'left' || key === 'right')) {
    if (typeof rule[key] !== 'number' || rule.op === '=' || rule.op === undefined) return 0;
    return (rule.op === '<=') === (key === 'right') ? 1 : -1;
  }
  if (!(key in rule) && !(rule.type === 'common' && key === 'atLeast')) return 0;
  return key === 'max' || key === 'atMost' ? 1 : -1;
}

function relaxFaults(rule: Rule): RuleFault[] {
  const faults: RuleFault[] = [];
  const levels = levelsOf(rule);
  const steps = rule.relax ?? [];
  const offAt = steps.findIndex(({ off }) => off);
  steps.forEach((step, i) => {
    const fault = (path: readonly string[], message: string) =>
      faults.push({ path: ['relax', i, ...path], message });
    const before = steps[i - 1];
    if (before !== undefined && step.waitSeconds <= before.waitSeconds) {
      fault(
        ['waitSeconds'],
        `Expected more than the ${before.waitSeconds} of the step before, got ${step.waitSeconds}: sort the steps`,
      );
    }
    if (offAt !== -1 && i > offAt) {
      fault([], `Expected no step after step ${offAt}, which turns the rule off: remove it`);
      return;
    }
    const { waitSeconds: _, off, ...keys } = step;
    const changed = Object.entries(keys).filter(([, value]) => value !== undefined);
    if (off ? changed.length > 0 : changed.length === 0) {
      fault([], `Expected off or a key that changes, got ${off ? 'both' : 'neither'}`);
    }
    const current = levels[i] as Rule & Record<string, unknown>;
    if (off || current === undefined) return;
    for (const [key, value] of changed) {
      const way = looserWay(current, key as keyof RelaxStep);
      const from = (current[key] ?? (key === 'atLeast' ? 1 : undefined)) as number;
      if (way === 0) {
        fault([key], `Expected a key that rule ${rule.name} has and that may change, got ${key}: remove it`);
      } else if (way * ((value as number) - from) <= 0) {
        fault(
          [key],
          `Expected ${way > 0 ? 'more' : 'less'} than the ${from} before, got ${value}: a rule relaxes with time and never tightens`,
        );
      }
    }
  });
  return faults;
}
