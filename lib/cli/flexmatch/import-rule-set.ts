import type { Measure } from '../../rules/by-type/compare.ts';
import type { RelaxStep } from '../../rules/rule-type.ts';
import type { InnerRule, Rule } from '../../rules/rule-types.ts';
import { parseExpression, takeApart } from './expression.ts';
import { nextNumber, oppositeOf } from './opposite.ts';
import type { FlexMatchRule, FlexMatchRuleSet } from './rule-set.ts';
import { clausesOf, type Literal, parseStatement, rulesIn } from './statement.ts';

/** The result of the import for one property of a rule set. */
export interface ImportLine {
  /** The position in the rule set. */
  readonly property: string;
  readonly outcome: 'same' | 'nearly the same' | 'not possible';
  /** The difference, or the reason why it is not possible. */
  readonly note?: string | undefined;
}

export interface Imported {
  /** A queue definition; not checked yet. */
  readonly definition: Record<string, unknown>;
  readonly lines: readonly ImportLine[];
}

export interface ImportOptions {
  /** The number attribute that becomes the players' skill. */
  readonly skill?: string | undefined;
  /** The name of the queue. @default the name of the rule set */
  readonly name?: string | undefined;
}

/**
 * Converts a FlexMatch rule set into a queue definition, as far as Muster can express it, with a result for each property.
 * Every match that the definition permits meets each property with the result same or nearly the same: a rule without an
 * exact counterpart becomes a stricter one.
 */
export function importRuleSet(ruleSet: FlexMatchRuleSet, options: ImportOptions = {}): Imported {
  return new Import(ruleSet, options).run();
}

type Body = InnerRule | { readonly type: 'latency'; readonly max: number };

/** Rules without their names that all have to hold, and how FlexMatch's limits become theirs. */
interface Converted {
  readonly bodies: readonly Body[];
  readonly note?: string | undefined;
  /** For each property that an expansion may target: the limit, one for each body if they differ. */
  readonly limits?: Readonly<Record<string, Limit | readonly Limit[]>>;
}

/** A limit that may relax. */
interface Limit {
  readonly key: keyof RelaxStep;
  of(value: number): number;
}

const plainly = (value: number) => value;

class Import {
  readonly #set: FlexMatchRuleSet;
  readonly #options: ImportOptions;
  readonly #lines: ImportLine[] = [];
  readonly #skill: string | undefined;
  readonly #teamNames: readonly string[];
  /** The maximum of players in a game. */
  readonly #seats: number;
  /** The rules that are parts of compound ones, and those that relax there all the same. */
  readonly #inCompound: ReadonlySet<string>;
  readonly #relaxed = new Set<string>();

  constructor(set: FlexMatchRuleSet, options: ImportOptions) {
    this.#set = set;
    this.#options = options;
    this.#teamNames = set.teams.map(({ name }) => name);
    this.#seats = set.teams.reduce((sum, { maxPlayers, quantity = 1 }) => sum + maxPlayers * quantity, 0);
    this.#skill = this.#skillAttribute();
    const statements = (set.rules ?? []).flatMap(({ type, statement = '' }) =>
      type === 'compound' ? (parseStatement(statement) ?? []) : [],
    );
    this.#inCompound = new Set(statements.flatMap(rulesIn));
  }

  run(): Imported {
    const rules = this.#rules();
    // The lines are in the order of the rule set.
    const linesOfRules = this.#lines.splice(0);
    const teams = this.#teams(rules);
    const attributes = this.#attributes();
    this.#lines.push(...linesOfRules);
    const relaxBy = this.#algorithm();
    const known = [
      'name',
      'ruleLanguageVersion',
      'playerAttributes',
      'algorithm',
      'teams',
      'rules',
      'expansions',
    ];
    for (const key of Object.keys(this.#set)) {
      if (!known.includes(key)) this.#say(key, 'not possible', 'it is not a property of the reference');
    }
    const priority = this.#set.algorithm?.backfillPriority;
    const hasRelaxation = rules.some(({ relax }) => relax !== undefined);
    return {
      definition: {
        name: this.#options.name ?? queueName(this.#set.name),
        ...teams,
        ...(Object.keys(attributes).length > 0 && { attributes }),
        ...(rules.length > 0 && { rules }),
        ...(relaxBy && hasRelaxation && { relaxBy }),
        ...(isPriority(priority) && { backfill: { priority } }),
        imbalance: { alpha: 1, p: 1, q: 2 },
        release: { policy: 'greedy' },
        tickSeconds: 2,
        timeoutSeconds: 300,
      },
      lines: this.#lines,
    };
  }

  #say(property: string, outcome: ImportLine['outcome'], note?: string): void {
    this.#lines.push({ property, outcome, ...(note !== undefined && { note }) });
  }

  /** The attribute that is the skill: the one asked for, else one whose team averages a rule compares, else the only number. */
  #skillAttribute(): string | undefined {
    const numbers = (this.#set.playerAttributes ?? []).filter(({ type }) => type === 'number');
    if (this.#options.skill !== undefined) return this.#options.skill;
    for (const { measurements = [] } of this.#set.rules ?? []) {
      for (const text of measurements) {
        const expression = parseExpression(text);
        const measured = expression && takeApart(expression, this.#teamNames);
        if (measured?.calls.includes('avg') && measured.attribute !== undefined) return measured.attribute;
      }
    }
    return numbers.length === 1 ? numbers[0]!.name : undefined;
  }

  #teams(rules: readonly Rule[]): Record<string, unknown> {
    const { teams } = this.#set;
    const [first] = teams;
    const count = teams.reduce((sum, { quantity = 1 }) => sum + quantity, 0);
    const isEven = teams.every(({ maxPlayers }) => maxPlayers === first!.maxPlayers);
    for (const { name, minPlayers, maxPlayers } of teams) {
      if (minPlayers === maxPlayers) this.#say(`teams[${name}]`, 'same');
      else {
        this.#say(
          `teams[${name}]`,
          'nearly the same',
          `its teams always have ${maxPlayers} players; FlexMatch also starts with ${minPlayers}`,
        );
      }
    }
    // Rules of single teams need their names.
    const isNamed = JSON.stringify(rules).includes('"team":"');
    if (isEven && count === 2 && !isNamed) return { teamSize: first!.maxPlayers };
    return {
      teams: teams.map(({ name, maxPlayers, quantity }) => ({
        name: teamName(name),
        size: maxPlayers,
        ...(quantity !== undefined && quantity > 1 && { count: quantity }),
      })),
    };
  }

  #attributes(): Record<string, unknown> {
    const attributes: Record<string, unknown> = {};
    for (const { name, type, default: fallback } of this.#set.playerAttributes ?? []) {
      const property = `playerAttributes[${name}]`;
      if (type === 'string_number_map') {
        this.#say(property, 'not possible', 'attributes are numbers, texts and lists of texts');
        continue;
      }
      if (name === 'skill') {
        const note = 'it is the skill of each player, which every ticket carries';
        this.#say(property, 'nearly the same', fallback === undefined ? note : `${note}; it has no default`);
        continue;
      }
      if (this.#isBlockList(name)) {
        this.#say(property, 'nearly the same', 'tickets name blocked players in avoid');
        continue;
      }
      const ours = type === 'string_list' ? 'strings' : type;
      const usable = fallback !== undefined && !(Array.isArray(fallback) && fallback.length === 0);
      attributes[name] = { type: ours, ...(usable && { default: fallback }) };
      if (fallback !== undefined && !usable) {
        this.#say(property, 'nearly the same', 'a list has at least one text, so there is no empty default');
      } else if (name === this.#skill) {
        this.#say(property, 'nearly the same', 'tickets carry it twice: as this attribute and as skill');
      } else this.#say(property, 'same');
    }
    if (this.#skill === undefined) {
      this.#say(
        'skill',
        'nearly the same',
        'no attribute is the skill, so each ticket says skill 0; --skill names one',
      );
    }
    return attributes;
  }

  #algorithm(): 'oldest' | undefined {
    for (const [key, value] of Object.entries(this.#set.algorithm ?? {})) {
      const property = `algorithm.${key}`;
      if (key === 'expansionAgeSelection') {
        if (value === 'oldest') this.#say(property, 'same');
        else {
          this.#say(
            property,
            'nearly the same',
            'each ticket has the limits of its own age, and all have to hold',
          );
        }
      } else if (key === 'backfillPriority' && isPriority(value)) {
        if (value === 'normal')
          this.#say(property, 'nearly the same', 'by what newcomers add to the imbalance, not by age');
        else this.#say(property, 'same');
      } else if (key === 'strategy' || key === 'batchingPreference' || key === 'balancedAttribute') {
        this.#say(property, 'nearly the same', 'Muster searches all waiting tickets for the least imbalance');
      } else this.#say(property, 'not possible', 'Muster has no such setting');
    }
    return this.#set.algorithm?.expansionAgeSelection === 'oldest' ? 'oldest' : undefined;
  }

  #rules(): Rule[] {
    const { rules = [], expansions = [] } = this.#set;
    const out: Rule[] = [];
    for (const rule of rules) {
      const property = `rules[${rule.name}]`;
      if (rule.type === 'compound') out.push(...this.#compound(rule, rules));
      else if (!this.#inCompound.has(rule.name)) {
        const needless = this.#needless(rule);
        const converted = needless ?? this.#convert(rule);
        if (needless) this.#say(property, needless.outcome, needless.note);
        else if (typeof converted === 'string') this.#say(property, 'not possible', converted);
        else if ('bodies' in converted) {
          this.#say(property, converted.note === undefined ? 'same' : 'nearly the same', converted.note);
          out.push(...this.#named(rule.name, converted));
        }
      }
    }
    for (const { target } of expansions) this.#checkTarget(target, rules);
    return out;
  }

  /** What a rule becomes that needs none in Muster; undefined for other rules. */
  #needless(rule: FlexMatchRule): Omit<ImportLine, 'property'> | undefined {
    if (rule.type === 'absoluteSort' || rule.type === 'distanceSort') return this.#sort(rule);
    const counted = this.#countedPlayers(rule);
    if (counted !== undefined) {
      return counted
        ? { outcome: 'same', note: 'it needs no rule: teams are always full' }
        : { outcome: 'not possible', note: 'teams are always full, and full teams break it' };
    }
    if (this.#blockList(rule) !== undefined)
      return { outcome: 'nearly the same', note: 'it needs no rule: tickets name blocked players in avoid' };
    return undefined;
  }

  /** A sort forbids no match. It only says which tickets FlexMatch tries first. */
  #sort({ type, sortAttribute, sortDirection }: FlexMatchRule): Omit<ImportLine, 'property'> {
    const order =
      type === 'absoluteSort'
        ? `FlexMatch tries tickets in ${String(sortDirection)} order of ${String(sortAttribute)}`
        : `FlexMatch tries the tickets first whose ${String(sortAttribute)} is ${sortDirection === 'descending' ? 'farthest from' : 'nearest to'} that of the first`;
    const advice =
      type === 'distanceSort' &&
      sortDirection !== 'descending' &&
      this.#typeOf(String(sortAttribute)) === 'number'
        ? `; a rule within ${String(sortAttribute)} with a cost prefers near values`
        : '';
    return {
      outcome: 'nearly the same',
      note: `a sort forbids no match: ${order}, Muster searches all of them for the least imbalance${advice}`,
    };
  }

  /** Whether full teams keep a rule about the number of their players; undefined for other rules. */
  #countedPlayers({
    type,
    operation,
    referenceValue,
    measurements = [],
  }: FlexMatchRule): boolean | undefined {
    if (type !== 'comparison' || measurements.length !== 1 || referenceValue === undefined) return undefined;
    const sizeOf = (side: unknown): number | undefined => {
      if (typeof side === 'number') return side;
      const expression = typeof side === 'string' ? parseExpression(side) : undefined;
      if (!expression) return typeof side === 'string' && side.trim() !== '' ? numberOf(side) : undefined;
      const { calls, isPlayers, team, isEverybody } = takeApart(expression, this.#teamNames);
      if (!isPlayers || calls[0] !== 'count') return undefined;
      if (team !== undefined) return this.#set.teams.find(({ name }) => name === team)!.maxPlayers;
      return isEverybody && calls[1] === 'flatten' ? this.#seats : undefined;
    };
    const measured = typeof measurements[0] === 'string' && measurements[0].includes('players)');
    const [left, right] = [sizeOf(measurements[0]), sizeOf(referenceValue)];
    if (!measured || left === undefined || right === undefined) return undefined;
    if (operation === '=') return left === right;
    if (operation === '!=') return left !== right;
    if (operation === '<') return left < right;
    if (operation === '<=') return left <= right;
    if (operation === '>') return left > right;
    return operation === '>=' ? left >= right : undefined;
  }

  #isBlockList(attribute: string): boolean {
    return (this.#set.rules ?? []).some((rule) => this.#blockList(rule) === attribute);
  }

  /** The attribute whose lists a rule compares with the ids of all players, so that none may be in one. */
  #blockList({ operation, referenceValue, maxCount, measurements = [] }: FlexMatchRule): string | undefined {
    if (operation !== 'reference_intersection_count' || maxCount !== 0) return undefined;
    const [measured, reference] = [measurements[0], referenceValue].map((text) =>
      typeof text === 'string' ? parseExpression(text) : undefined,
    );
    if (!measured || !reference || takeApart(reference, this.#teamNames).attribute !== undefined)
      return undefined;
    return takeApart(measured, this.#teamNames).attribute;
  }

  /** The rules with their relaxation. Of several, the second is named NAME 2. */
  #named(name: string, { bodies, limits = {} }: Converted): Rule[] {
    return bodies.map((body, i) => {
      const relax = this.#relaxOf(name, body, (property) => {
        const limit = limits[property];
        return isSeveral(limit) ? limit[i] : limit;
      });
      const own = i === 0 ? name : `${name} ${i + 1}`;
      return { name: ruleName(own), ...body, ...(relax.length > 0 && { relax }) } as Rule;
    });
  }

  #relaxOf(name: string, body: Body, limitOf: (property: string) => Limit | undefined): RelaxStep[] {
    const steps = new Map<number, Record<string, number>>();
    for (const { target, steps: own } of this.#set.expansions ?? []) {
      const [, rule, property] = /^rules\[([^\]]+)\]\.(\w+)$/.exec(target) ?? [];
      const limit = limitOf(property ?? '');
      if (rule !== name || !limit) continue;
      this.#relaxed.add(name);
      const inOrder = own.toSorted((a, b) => a.waitTimeSeconds - b.waitTimeSeconds);
      let before = (body as unknown as Record<string, number>)[limit.key]!;
      for (const [i, { waitTimeSeconds }] of inOrder.entries()) {
        // A rule never tightens, so a limit that does is in force from the beginning.
        const ours = tightest(
          body,
          limit.key,
          inOrder.slice(i).map(({ value }) => limit.of(value)),
        );
        if (ours === before) continue;
        before = ours;
        steps.set(waitTimeSeconds, { ...steps.get(waitTimeSeconds), [limit.key]: ours });
      }
    }
    return [...steps]
      .sort(([a], [b]) => a - b)
      .map(([waitSeconds, keys]) => ({ waitSeconds, ...keys }) as RelaxStep);
  }

  #checkTarget(target: string, rules: readonly FlexMatchRule[]): void {
    const property = `expansions[${target}]`;
    const [, name, key] = /^rules\[([^\]]+)\]\.(\w+)$/.exec(target) ?? [];
    const rule = rules.find((one) => one.name === name);
    if (/^teams\[[^\]]+\]\.minPlayers$/.test(target)) {
      this.#say(property, 'nearly the same', 'teams are always full, which the original permits');
    } else if (!rule) this.#say(property, 'not possible', 'only limits of rules relax');
    else {
      const converted = this.#convert(rule);
      if (typeof converted === 'string' || !converted.limits?.[key!])
        this.#say(property, 'not possible', `the rule has no counterpart of ${key} that may relax`);
      else if (this.#inCompound.has(rule.name) && !this.#relaxed.has(rule.name))
        this.#say(
          property,
          'nearly the same',
          'the rules of anyOf do not relax, so the strictest limit stays',
        );
      else if (this.#tightens(rule, key!))
        this.#say(
          property,
          'nearly the same',
          'a rule never tightens, so the stricter limit holds before its step too',
        );
      else this.#say(property, 'same');
    }
  }

  /** Whether a step of an expansion is stricter than the one before it. */
  #tightens(rule: FlexMatchRule, property: string): boolean {
    const values = [rule[property], ...this.#expandedTo(rule.name, property)] as number[];
    const converted = this.#untightened(rule) as Converted;
    const limit = converted.limits?.[property];
    const [first] = isSeveral(limit) ? limit : [limit];
    const [body] = converted.bodies;
    return values.some((value, i) => {
      const [before, after] = [values[i - 1] ?? value, value].map((one) => first!.of(one));
      return before !== after && tightest(body!, first!.key, [before!, after!]) === after;
    });
  }

  /** The values of an expansion in the order of their steps; none without one. */
  #expandedTo(rule: string, property: string): number[] {
    const own = this.#set.expansions?.filter(({ target }) => target === `rules[${rule}].${property}`) ?? [];
    const steps = own.flatMap((expansion) => expansion.steps);
    return steps.toSorted((a, b) => a.waitTimeSeconds - b.waitTimeSeconds).map(({ value }) => value);
  }

  /** The statement as rules that all have to hold; a rule with alternatives becomes `anyOf`. */
  #compound(rule: FlexMatchRule, rules: readonly FlexMatchRule[]): Rule[] {
    const property = `rules[${rule.name}]`;
    const statement = parseStatement(rule.statement ?? '');
    const clauses = statement && clausesOf(statement);
    if (!statement || !clauses) {
      const why = statement ? 'it has too many cases' : 'its statement is none of and, or, not and xor';
      this.#say(property, 'not possible', why);
      return [];
    }
    const out: Rule[] = [];
    const notes: string[] = [];
    for (const clause of clauses) {
      const alternatives = this.#alternatives(clause, rules);
      if (typeof alternatives === 'string') {
        this.#say(property, 'not possible', alternatives);
        return [];
      }
      notes.push(...alternatives.notes);
      const [only, ...others] = clause;
      if (others.length === 0 && !only!.isNegated) {
        const converted = this.#convert(rules.find(({ name }) => name === only!.rule)!) as Converted;
        out.push(...this.#named(only!.rule, converted));
        continue;
      }
      for (const inner of alternatives.clauses) {
        const name = ruleName(out.length === 0 ? rule.name : `${rule.name} ${out.length + 1}`);
        out.push(
          (inner.length === 1 ? { name, ...inner[0]! } : { name, type: 'anyOf', rules: inner }) as Rule,
        );
      }
    }
    const tooLong = out.some((one) => one.type === 'anyOf' && one.rules.length > ALTERNATIVES_MAX);
    if (tooLong || out.length > RULES_MAX) {
      this.#say(
        property,
        'not possible',
        `it needs more than ${RULES_MAX} rules or ${ALTERNATIVES_MAX} alternatives`,
      );
      return [];
    }
    this.#say(property, notes.length === 0 ? 'same' : 'nearly the same', notes[0]);
    return out;
  }

  /** The alternatives of a clause, again as clauses, because a literal may need several rules; or why there are none. */
  #alternatives(
    literals: readonly Literal[],
    rules: readonly FlexMatchRule[],
  ): { clauses: InnerRule[][]; notes: string[] } | string {
    let clauses: InnerRule[][] = [[]];
    const notes: string[] = [];
    for (const { rule: name, isNegated } of literals) {
      const rule = rules.find((one) => one.name === name);
      if (rule === undefined) return `there is no rule ${name}`;
      const converted = this.#convert(rule);
      if (typeof converted === 'string') return `${name}: ${converted}`;
      const isAlone = literals.length === 1 && !isNegated;
      if (!isAlone && converted.bodies.some(({ type }) => type === 'latency'))
        return `${name}: latency cannot be one of several, and has no opposite`;
      const bodies = converted.bodies as readonly InnerRule[];
      if (!isNegated) {
        if (converted.note !== undefined) notes.push(converted.note);
        clauses = clauses.flatMap((clause) => bodies.map((body) => [...clause, body]));
        continue;
      }
      // A stricter counterpart has a looser opposite, and a limit that relaxes tightens its opposite.
      if (converted.note !== undefined) return `${name}: its opposite has no counterpart`;
      if (this.#set.expansions?.some(({ target }) => target.startsWith(`rules[${name}].`)))
        return `${name}: a rule that relaxes has no opposite, which would tighten`;
      const opposites = bodies.map(oppositeOf);
      if (opposites.includes(undefined)) return `${name}: its opposite has no counterpart`;
      notes.push(...opposites.flatMap((one) => one!.note ?? []));
      const inner = opposites.flatMap((one) => one!.anyOf);
      clauses = clauses.map((clause) => [...clause, ...inner]);
    }
    return { clauses, notes };
  }

  /** The counterpart of a rule with the strictest limits that its expansions set, or the reason why there is none. */
  #convert(rule: FlexMatchRule): Converted | string {
    const converted = this.#untightened(rule);
    if (typeof converted === 'string') return converted;
    const bodies = converted.bodies.map((body, i) => {
      const own = { ...body } as unknown as Record<string, number>;
      for (const [property, limit] of Object.entries(converted.limits ?? {})) {
        const { key, of } = isSeveral(limit) ? limit[i]! : limit;
        const values = this.#expandedTo(rule.name, property).map((value) => of(value));
        if (values.length > 0) own[key] = tightest(body, key, [own[key]!, ...values]);
      }
      return own as unknown as Body;
    });
    return { ...converted, bodies };
  }

  #untightened(rule: FlexMatchRule): Converted | string {
    switch (rule.type) {
      case 'distance':
        return this.#distance(rule);
      case 'comparison':
        return this.#comparison(rule);
      case 'collection':
        return this.#collection(rule);
      case 'batchDistance':
        return this.#batchDistance(rule);
      case 'latency':
        return latency(rule);
      case 'distanceSort':
      case 'absoluteSort':
        return 'a sort is no condition';
      case 'compound':
        return 'a compound rule is no part of another one';
      default:
        return `the rule type ${rule.type} is not in the reference`;
    }
  }

  #distance(rule: FlexMatchRule): Converted | string {
    const { maxDistance, minDistance, referenceValue } = rule;
    const measured = this.#measured(rule);
    if (typeof measured === 'string') return measured;
    if (minDistance !== undefined || maxDistance === undefined) return 'a least distance has no counterpart';
    const { attribute, of, who } = measured;
    const constant = typeof referenceValue === 'string' ? numberOf(referenceValue) : referenceValue;
    const reference = typeof referenceValue === 'string' ? this.#expression(referenceValue) : undefined;
    if (typeof constant === 'number') return this.#distanceFrom(measured, constant, maxDistance);
    if (reference === undefined || reference.attribute !== attribute)
      return 'this distance has no counterpart';
    const max = (factor: number, note?: string): Converted => ({
      bodies: [{ type: 'balance', attribute, max: factor * maxDistance }],
      note,
      limits: { maxDistance: { key: 'max', of: (value) => factor * value } },
    });
    if (of === 'mean' && who === 'teams' && reference.of === 'mean') {
      if (this.#set.teams.every(({ quantity = 1 }) => quantity === 1) && this.#set.teams.length === 1)
        return 'a single team has no other to be compared with';
      if (reference.who === 'teams') return max(1);
      // A team is at most (1 − its share of the players) of the range of the means away from the common mean.
      if (reference.who === 'all') {
        const sizes = this.#set.teams.flatMap(({ maxPlayers, quantity = 1 }) =>
          Array<number>(quantity).fill(maxPlayers),
        );
        const factor = 1 / (1 - Math.min(...sizes) / this.#seats);
        const isExact = sizes.length === 2 && sizes[0] === sizes[1];
        const note = `the means of the teams are within ${round(factor * maxDistance)} of each other, so each is within ${maxDistance} of the average`;
        return max(factor, isExact ? undefined : note);
      }
    }
    if (of === 'each' && who === 'all' && reference.of === 'mean' && reference.who === 'all') {
      // One of N numbers is at most (N − 1)/N of their range away from their mean.
      const factor = this.#seats / (this.#seats - 1);
      return {
        bodies: [{ type: 'within', attribute, max: factor * maxDistance }],
        note: `all players are within ${round(factor * maxDistance)} of each other, so each is within ${maxDistance} of the average`,
        limits: { maxDistance: { key: 'max', of: (value) => factor * value } },
      };
    }
    if (of !== 'each' && reference.of !== 'each' && who !== 'teams' && reference.who !== 'teams') {
      return {
        bodies: [
          { type: 'compare', left: measureOf(measured), right: measureOf(reference), max: maxDistance },
        ],
        limits: { maxDistance: { key: 'max', of: plainly } },
      };
    }
    return 'this distance has no counterpart';
  }

  /** The distance from a number. */
  #distanceFrom(measured: Measured, constant: number, maxDistance: number): Converted {
    if (measured.of !== 'each') {
      const bodies = this.#perTeam(measured).map((left) => ({
        type: 'compare' as const,
        left,
        right: constant,
        max: maxDistance,
      }));
      return { bodies, limits: { maxDistance: { key: 'max', of: plainly } } };
    }
    const { attribute, who } = measured;
    const team = typeof who === 'object' ? { team: teamName(who.team) } : {};
    return {
      bodies: [
        {
          type: 'compare',
          left: { of: 'greatest', attribute, ...team },
          op: '<=',
          right: constant + maxDistance,
        },
        {
          type: 'compare',
          left: { of: 'least', attribute, ...team },
          op: '>=',
          right: constant - maxDistance,
        },
      ],
      limits: {
        maxDistance: [
          { key: 'right', of: (value) => constant + value },
          { key: 'right', of: (value) => constant - value },
        ],
      },
    };
  }

  #comparison(rule: FlexMatchRule): Converted | string {
    const { operation = '', referenceValue } = rule;
    const measured = this.#measured(rule);
    if (typeof measured === 'string') return measured;
    const { attribute, of, who } = measured;
    const team = typeof who === 'object' ? { team: teamName(who.team) } : {};
    if (referenceValue === undefined) {
      if (of !== 'each') return 'only the values of players are compared with each other';
      const scope = typeof who === 'object' ? ({ scope: 'team' } as const) : {};
      const note = typeof who === 'object' ? 'it holds for the players of every team' : undefined;
      if (operation === '=') return { bodies: [{ type: 'same', attribute, ...scope }], note };
      if (operation === '!=') return { bodies: [{ type: 'different', attribute, ...scope }], note };
      return `players are compared by = and !=, not by ${operation}`;
    }
    const reference = typeof referenceValue === 'string' ? this.#expression(referenceValue) : undefined;
    if (reference !== undefined) return this.#comparisonOf(measured, operation, reference);
    const value = this.#constant(referenceValue, attribute);
    if (value === undefined)
      return `the value ${String(referenceValue)} is neither a constant nor one of the forms that are imported`;
    if (of === 'each' && operation === '=') {
      const atLeast =
        typeof who === 'object'
          ? this.#set.teams.find(({ name }) => name === who.team)!.maxPlayers
          : this.#seats;
      return { bodies: [{ type: 'count', attribute, value, atLeast, ...team }] };
    }
    if (of === 'each' && operation === '!=')
      return { bodies: [{ type: 'count', attribute, value, atMost: 0, ...team }] };
    if (typeof value !== 'number') return `text is compared by = and !=, not by ${operation}`;
    const op = operatorOf(operation);
    if (op === undefined) return `the operation ${operation} has no counterpart`;
    const lefts: readonly Measure[] =
      of === 'each'
        ? [{ of: op === '<=' ? 'greatest' : 'least', attribute, ...team }]
        : this.#perTeam(measured);
    const next = (limit: number) => strictly(limit, operation);
    return {
      bodies: lefts.map((left) => ({ type: 'compare', left, op, right: next(value) })),
      limits: op === '=' ? {} : { referenceValue: { key: 'right', of: next } },
    };
  }

  /** The comparison of two measures, such as the means of two teams. */
  #comparisonOf(measured: Measured, operation: string, reference: Measured): Converted | string {
    if (
      measured.of === 'each' ||
      reference.of === 'each' ||
      measured.who === 'teams' ||
      reference.who === 'teams'
    )
      return 'only single values are compared with each other';
    const op = operatorOf(operation);
    if (op === undefined) return `the operation ${operation} has no counterpart`;
    if (operation !== op) return 'two measures are compared by <=, >= and =';
    return { bodies: [{ type: 'compare', left: measureOf(measured), op, right: measureOf(reference) }] };
  }

  /** One measure, or one for each kind of team. */
  #perTeam(measured: Measured): Measure[] {
    if (measured.who !== 'teams') return [measureOf(measured)];
    return this.#teamNames.map((team) => measureOf({ ...measured, who: { team } }));
  }

  #collection(rule: FlexMatchRule): Converted | string {
    const { operation, minCount, maxCount, referenceValue, partyAggregation = 'union' } = rule;
    const [text = ''] = rule.measurements ?? [];
    const expression = parseExpression(text);
    if (!expression) return `the expression ${text} is not one of the forms that are imported`;
    const { calls, attribute, isEverybody, team } = takeApart(expression, this.#teamNames);
    if (attribute === undefined || (!isEverybody && team === undefined))
      return 'only the attributes of all teams, or of one, are measured';
    const isFlat = calls[0] === 'flatten' || calls[0] === 'set_intersection';
    const scope = isEverybody && isFlat ? {} : ({ scope: 'team' } as const);
    if (operation === 'reference_intersection_count')
      return 'counts of common entries with other lists have no counterpart';
    if (operation === 'intersection') {
      if (maxCount !== undefined) return 'a greatest number of common values has no counterpart';
      const note =
        partyAggregation !== 'intersection'
          ? 'each player of a party has to share the values; FlexMatch takes the union of a party'
          : isEverybody
            ? undefined
            : 'it holds for the players of every team';
      return {
        bodies: [{ type: 'common', attribute, atLeast: minCount ?? 1, ...scope }],
        note,
        limits: { minCount: { key: 'atLeast', of: plainly } },
      };
    }
    if (operation === 'contains') {
      if (typeof referenceValue !== 'string') return 'only one value is looked for';
      const least = Math.max(
        minCount ?? (maxCount === undefined ? 1 : 0),
        ...this.#expandedTo(rule.name, 'minCount'),
      );
      // FlexMatch counts the list of a party once, so more players with the value may be fewer in its count.
      if (least > 1) return 'a party counts once in FlexMatch, and each of its players in Muster';
      if (least > 0 && partyAggregation !== 'union')
        return `FlexMatch takes the ${partyAggregation} of a party, and each of its players counts in Muster`;
      return {
        bodies: [
          {
            type: 'count',
            attribute,
            value: referenceValue,
            ...(minCount !== undefined && { atLeast: minCount }),
            ...(maxCount !== undefined && { atMost: maxCount }),
            ...(minCount === undefined && maxCount === undefined && { atLeast: 1 }),
            ...(team === undefined ? scope : { team: teamName(team) }),
          },
        ],
        note:
          maxCount !== undefined && maxCount > 0
            ? `each player of a party counts; FlexMatch takes the ${partyAggregation} of a party, which counts once`
            : undefined,
        limits: {
          minCount: { key: 'atLeast', of: plainly },
          maxCount: { key: 'atMost', of: plainly },
        },
      };
    }
    return `the operation ${operation} has no counterpart`;
  }

  #batchDistance({
    batchAttribute,
    maxDistance,
    partyAggregation = 'avg',
  }: FlexMatchRule): Converted | string {
    const type = this.#typeOf(batchAttribute ?? '');
    if (type === 'string') return { bodies: [{ type: 'same', attribute: batchAttribute! }] };
    if (type !== 'number' || maxDistance === undefined)
      return 'only numbers with a maxDistance and texts are batched';
    const party = PARTY[partyAggregation];
    if (!party) return `parties by ${partyAggregation} have no counterpart`;
    return {
      bodies: [{ type: 'within', attribute: batchAttribute!, max: maxDistance, party }],
      limits: { maxDistance: { key: 'max', of: plainly } },
    };
  }

  /** The measurement of a rule, or the reason why it cannot be imported. */
  #measured({ measurements = [] }: FlexMatchRule): Measured | string {
    if (measurements.length !== 1) return 'only one measurement is imported';
    const measured = this.#expression(measurements[0]!);
    return measured ?? `the expression ${measurements[0]} is not one of the forms that are imported`;
  }

  #expression(text: string): Measured | undefined {
    const expression = parseExpression(text);
    if (!expression) return undefined;
    const { calls, attribute, isEverybody, team } = takeApart(expression, this.#teamNames);
    if (attribute === undefined) return undefined;
    const [call, ...inner] = calls;
    const isFlat = calls.at(-1) === 'flatten';
    const isKnown = inner.length === 0 || (inner.length === 1 && isFlat);
    if (!isKnown) return undefined;
    const of = call === undefined || call === 'flatten' ? 'each' : MEASURES[call];
    if (of === undefined) return undefined;
    if (team !== undefined && !(isEverybody && isFlat)) return { attribute, of, who: { team } };
    if (!isEverybody) return undefined;
    if (of === 'each' && !isFlat) return undefined;
    return { attribute, of, who: isFlat ? 'all' : 'teams' };
  }

  #constant(value: string | number | readonly string[], attribute: string): string | number | undefined {
    if (typeof value === 'number') return value;
    if (typeof value !== 'string' || parseExpression(value)) return undefined;
    if (this.#typeOf(attribute) !== 'number') return value;
    return Number.isFinite(Number(value)) ? Number(value) : undefined;
  }

  #typeOf(attribute: string): string | undefined {
    return (this.#set.playerAttributes ?? []).find(({ name }) => name === attribute)?.type;
  }
}

interface Measured {
  readonly attribute: string;
  /** `each`: the values of the players, one by one. */
  readonly of: 'each' | Measure['of'];
  /** All players together, each team for itself, or one team. */
  readonly who: 'all' | 'teams' | { readonly team: string };
}

function measureOf({ attribute, of, who }: Measured): Measure {
  return {
    of: of as Measure['of'],
    attribute,
    ...(typeof who === 'object' && { team: teamName(who.team) }),
  };
}

/** The measures by the functions of expressions. */
const MEASURES: Readonly<Partial<Record<string, Measure['of']>>> = {
  avg: 'mean',
  min: 'least',
  max: 'greatest',
  sum: 'sum',
  count: 'count',
};

/** Limits of the contract. */
const RULES_MAX = 30;
const ALTERNATIVES_MAX = 10;

function operatorOf(operation: string): '<=' | '>=' | '=' | undefined {
  if (operation === '<' || operation === '<=') return '<=';
  if (operation === '>' || operation === '>=') return '>=';
  return operation === '=' ? '=' : undefined;
}

/** The next number below or above stands for a strict comparison. */
function strictly(limit: number, operation: string): number {
  if (operation === '<') return nextNumber(limit, -1);
  return operation === '>' ? nextNumber(limit, 1) : limit;
}

function numberOf(text: string): number | undefined {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
}

function isSeveral(limit: Limit | readonly Limit[] | undefined): limit is readonly Limit[] {
  return Array.isArray(limit);
}

const PARTY: Readonly<Record<string, 'mean' | 'least' | 'greatest'>> = {
  avg: 'mean',
  min: 'least',
  max: 'greatest',
};

function latency({ maxLatency, partyAggregation = 'avg', ...rest }: FlexMatchRule): Converted | string {
  if (maxLatency === undefined)
    return 'only the greatest latency is a limit, not distances between latencies';
  const others = ['maxDistance', 'distanceReference'].filter((key) => rest[key] !== undefined);
  if (others.length > 0) return `${others.join(' and ')} of latencies have no counterpart`;
  const note =
    partyAggregation === 'max'
      ? undefined
      : `each player of a party has to be within it; FlexMatch takes the ${partyAggregation} of a party`;
  return {
    bodies: [{ type: 'latency', max: maxLatency }],
    note,
    limits: { maxLatency: { key: 'max', of: plainly } },
  };
}

function isPriority(value: unknown): value is 'low' | 'normal' | 'high' {
  return value === 'low' || value === 'normal' || value === 'high';
}

/** The strictest of these limits. */
function tightest(body: Body, key: keyof RelaxStep, limits: readonly number[]): number {
  const isUpper = key === 'max' || key === 'atMost' || (body.type === 'compare' && body.op === '<=');
  return isUpper ? Math.min(...limits) : Math.max(...limits);
}

/** Names of queues have fewer characters than those of rule sets. */
function queueName(name = 'imported'): string {
  const made = name.replaceAll(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return made.slice(0, 64) || 'imported';
}

function teamName(name: string): string {
  const made = name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replace(/^[^A-Za-z]+/, '');
  return made.slice(0, 32) || 'team';
}

function ruleName(name: string): string {
  const made = name.replaceAll(/[^A-Za-z0-9_. -]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return made.slice(0, 64) || 'rule';
}

function round(value: number): number {
  return Math.round(100 * value) / 100;
}
