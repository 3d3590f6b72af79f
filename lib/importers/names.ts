import { SKILL } from '../rules/values.ts';

/** Different names of the teams in the queue, by name. */
export function teamNames(names: readonly string[]): ReadonlyMap<string, string> {
  const used = new Set<string>();
  return new Map(names.map((name) => [name, uniqueName(teamName(name), used)]));
}

/**
 * The name in the queue of each attribute.
 *
 * @param skill the attribute that is the skill
 * @param fieldOf the part of a name that the queue keeps
 */
export function attributeNames(
  names: readonly string[],
  skill: string | undefined,
  fieldOf = (name: string) => name,
) {
  const used = new Set([SKILL]);
  const ours = new Map(
    names.map((name) => [name, name === skill ? SKILL : uniqueName(fieldName(fieldOf(name)), used)]),
  );
  return (name: string): string => ours.get(name) ?? name;
}

/** A name that is not used yet, and is from now on: NAME, NAME-2, NAME-3, … */
export function uniqueName(name: string, used: Set<string>, separator = '-'): string {
  let own = name;
  for (let n = 2; used.has(own); n++) own = `${name}${separator}${n}`;
  used.add(own);
  return own;
}

/** A name in the form of ours: other characters become `-`, and those before the first allowed one are omitted. */
function form(others: RegExp, start: RegExp, lengthMax: number, otherwise: string) {
  return (name = otherwise) =>
    name.replaceAll(others, '-').replace(start, '').slice(0, lengthMax) || otherwise;
}

const teamName = form(/[^A-Za-z0-9_-]+/g, /^[^A-Za-z]+/, 28, 'team');
const fieldName = form(/[^A-Za-z0-9_.-]+/g, /^[^A-Za-z]+/, 60, 'attribute');
/** Names of queues have fewer characters than those of rule sets. */
export const queueName = form(/[^A-Za-z0-9_.-]+/g, /^[^A-Za-z0-9]+/, 64, 'imported');
export const ruleName = form(/[^A-Za-z0-9_. -]+/g, /^[^A-Za-z0-9]+/, 58, 'rule');
