import type { Rule } from '../rules/rule-types.ts';
import type { Attribute, Attributes } from '../rules/types.ts';
import type { FieldProblem } from './problem.ts';
import { seatsOf, type Teams, teamCountOf } from './team-kinds.ts';

/**
 * The maximum size of the game of a match as JSON: teams with all players and their attributes, the results of rules, and the
 * proof. With it, a match always fits into an item and an event:
 *
 * | holder | maximum | a match has at most |
 * |---|---|---|
 * | an item of the store | 400 KB | 208 KB, three lists of 200 ticket ids of 26 KB each, an assignment of 64 KB: 350 KB |
 * | an event | 240 KB, otherwise its short form | 208 KB and a list of ids: 234 KB; the short form only with a large assignment |
 *
 * The teams hold the attributes of all players, so the share of one player follows from the seats of the definition. A definition
 * whose own values exceed the share is rejected, and so is a posted ticket.
 */
const GAME_BYTES_MAX = 208 * 1024;
/** The numbers and names of a match itself, of a team and of a rule. */
const MATCH_BYTES = 1_024;
const TEAM_BYTES = 64;
const RULE_BYTES = 160;
/** A seat without attributes: the ids of a player and a ticket of 128 characters each, a role of 32, and field names. */
const SEAT_BYTES = 360;

/** The fields of a definition that determine the size of its matches. */
export interface Sized extends Teams {
  readonly attributes?: Attributes | undefined;
  readonly rules?: readonly Rule[] | undefined;
}

/**
 * The maximum size of the attributes of a player, as JSON in UTF-8. Without rules 200 seats leave 699 bytes to each, and ten
 * seats 20 KB. A rule that reports the players' common value repeats it once in the match.
 */
export function attributeBytesMax(definition: Sized): number {
  const { attributes = {}, rules = [] } = definition;
  const teams = teamCountOf(definition);
  const seats = seatsOf(definition);
  const shared = rules.flatMap((rule) =>
    (rule.type === 'anyOf' ? rule.rules : [rule]).filter(({ type }) => type === 'common'),
  );
  const ofDefaults = shared.reduce((sum, rule) => {
    const attribute = 'attribute' in rule ? attributes[rule.attribute] : undefined;
    return sum + (attribute?.default === undefined ? 0 : jsonBytes(attribute.default));
  }, 0);
  const fixed =
    MATCH_BYTES + TEAM_BYTES * teams + RULE_BYTES * rules.length + SEAT_BYTES * seats + ofDefaults;
  return Math.max(0, Math.floor((GAME_BYTES_MAX - fixed) / (seats + shared.length)));
}

/**
 * A problem if players with every value that the definition lists would make a match too large. Not part of the schema, because a
 * definition stored before this limit stays readable; its tickets are checked one by one.
 */
export function sizeProblems(definition: Sized): FieldProblem[] {
  const listed = Object.entries(definition.attributes ?? {}).map(([name, attribute]) =>
    jsonBytes({ [name]: largestListed(attribute) }),
  );
  const most = attributeBytesMax(definition);
  const bytes = listed.reduce((sum, one) => sum + one, 0);
  if (bytes <= most) return [];
  const detail = `Expected attributes whose values take at most ${most} bytes for a player as JSON, so that a match with all of its seats can be stored, got ${bytes}: list fewer or shorter values, or make the teams smaller`;
  return [{ pointer: '#/attributes', detail }];
}

/** The largest value that the definition lists, or a short one. */
function largestListed(attribute: Attribute): unknown {
  if (attribute.type === 'number') return 0;
  if (attribute.values === undefined) return attribute.default ?? '';
  if (attribute.type === 'strings') return attribute.values;
  return attribute.values.reduce((longest, one) => (jsonBytes(one) > jsonBytes(longest) ? one : longest), '');
}

/** Why the attributes of a player would make a match of the queue too large; undefined if they do not. */
export function attributeSizeFault(attributes: unknown, definition: Sized): string | undefined {
  const most = attributeBytesMax(definition);
  const bytes = jsonBytes(attributes);
  if (bytes <= most) return undefined;
  return `Expected attributes of at most ${most} bytes as JSON, so that a match with all of its seats can be stored, got ${bytes}: send fewer or shorter values`;
}

function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
