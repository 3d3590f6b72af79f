import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../lib/contract/problem.ts';
import { type Importer, imported } from '../../lib/importers/importer.ts';
import { IMPORTERS } from '../../lib/importers/importers.ts';
import type { ImportLine } from '../../lib/importers/report.ts';
import { InvalidInput } from '../../lib/vocabulary/invalid-input.ts';
import { seeded } from '../engine/random-pool.ts';
import { sample } from '../long.ts';
import { randomRuleSet } from './flexmatch/random-rule-set.ts';
import * as ruleSets from './flexmatch/rule-sets.ts';
import * as queues from './queues.ts';

type Name = keyof typeof IMPORTERS;
type Path = readonly (string | number)[];

const files: Readonly<Record<Name, readonly object[]>> = {
  flexmatch: Object.values(ruleSets).filter((one) => 'teams' in one),
  playfab: Object.values(queues.playfab),
  unity: Object.values(queues.unity),
};
const resultOf = (name: Name, file: object) =>
  imported(IMPORTERS[name] as Importer<object>, file, 'file.json');

/** All objects in a file, or all of its values that are no objects, with their paths. */
function placesIn(value: unknown, which: 'objects' | 'values', path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return which === 'values' ? [path] : [];
  const below = Object.entries(value).flatMap(([key, own]) => placesIn(own, which, [...path, key]));
  return which === 'objects' && !Array.isArray(value) ? [path, ...below] : below;
}

/** A file in which what is at the path is changed; it shares the rest with the file. */
function changed(file: object, path: Path, change: (value: unknown) => unknown): object {
  const [key, ...below] = path;
  if (key === undefined) return change(file) as object;
  const copy = (Array.isArray(file) ? [...file] : { ...file }) as Record<string | number, unknown>;
  copy[key] = changed(copy[key] as object, below, change);
  return copy;
}

/** Whether a line is about the property, or says of an object above it that the property is not read. */
function names(line: ImportLine, property: string): boolean {
  if (line.property === property) return true;
  const [, unread = ''] = /not read: (.*)$/.exec(line.note ?? '') ?? [];
  return unread
    .split(', ')
    .some((one) => property === `${line.property}${one.startsWith('[') ? '' : '.'}${one}`);
}

const someFile = (name: Name): fc.Arbitrary<object> =>
  name === 'flexmatch'
    ? fc.oneof(
        fc.constantFrom(...files.flexmatch),
        fc.nat().map((seed) => randomRuleSet(seeded(seed))),
      )
    : fc.constantFrom(...files[name]);

describe.each(Object.keys(IMPORTERS) as Name[])('the report of %s', (name) => {
  it('names a property that nothing reads, at any depth', () => {
    fc.assert(
      fc.property(someFile(name), fc.nat(), fc.jsonValue({ maxDepth: 2 }), (file, nth, value) => {
        // A default is a value of a player, and has no properties.
        const places = placesIn(file, 'objects').filter((path) => !path.includes('default'));
        const place = places[nth % places.length]!;
        const before = resultOf(name, file);
        const after = resultOf(
          name,
          changed(file, place, (object) => ({ ...(object as object), qZ9: value ?? 'set' })),
        );
        const path = pathText(file, [...place, 'qZ9']);
        const notPossible = after.lines.filter(({ outcome }) => outcome === 'not possible');
        // Where an object was not read before, its own path stands for all that is in it.
        const named = notPossible.some((line) =>
          [path, ...unreadAbove(before.lines, path)].some((one) => names(line, one)),
        );
        expect(named, path).toBe(true);
        expect(after.definition).toEqual(before.definition);
      }),
      { seed: 7, numRuns: sample(60, 3000) },
    );
  });

  it('says that a property is the same only if another value of it changes the definition or the report', () => {
    const silent = new Set<string>();
    for (const file of files[name]) {
      const before = resultOf(name, file);
      for (const path of placesIn(file, 'values')) {
        const text = pathText(file, path);
        // The whole of what is not the same is looked at by its user.
        if (before.lines.some(({ property, outcome }) => outcome !== 'same' && isWithin(text, property)))
          continue;
        const after = whatCameOf(name, changed(file, path, other));
        if (after === JSON.stringify([before.definition, before.lines]))
          silent.add(path.filter((key) => !/^\d+$/.test(String(key))).join('.'));
      }
    }
    const unexplained = [...silent].filter((path) => !WITHOUT_MEANING[name].some(([end]) => end.test(path)));
    expect(unexplained).toEqual([]);
  });
});

const isWithin = (path: string, property: string) =>
  path === property || (path.startsWith(property) && '.['.includes(path[property.length]!));

/** What an import says of a file: the definition and the report, or that it is invalid. */
function whatCameOf(name: Name, file: object): string {
  try {
    const { definition, lines } = resultOf(name, file);
    return JSON.stringify([definition, lines]);
  } catch (error) {
    if (error instanceof Problem || error instanceof InvalidInput) return error.message;
    throw error;
  }
}

/** Another value of the same type. */
function other(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return typeof value === 'string' ? `${value}x` : 'not null';
}

/** The path of an object as the report writes it. */
function pathText(file: object, path: Path): string {
  let text = '';
  let at: unknown = file;
  for (const key of path) {
    const isItem = Array.isArray(at);
    const list = at as readonly unknown[];
    at = (at as Record<string | number, unknown>)[key];
    const label = (one: unknown) => {
      const { name, Name, target } = (one ?? {}) as Record<string, unknown>;
      return name ?? Name ?? target;
    };
    const own = isItem ? label(at) : undefined;
    const isAlone = isItem && list.filter((one) => label(one) === own).length === 1;
    text += isItem ? `[${own !== undefined && isAlone ? own : key}]` : text === '' ? key : `.${key}`;
  }
  return text;
}

/** The objects above a property that a report without it names as not read. */
function unreadAbove(lines: readonly ImportLine[], path: string): string[] {
  const above = [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index));
  return above.filter((one) => lines.some((line) => line.property !== one && names(line, one)));
}

/** The properties that may change although all stays the same, and why. */
const WITHOUT_MEANING: Readonly<Record<Name, readonly (readonly [end: RegExp, why: string])[]>> = {
  flexmatch: [[/^rules\.sort(Direction|Attribute)$/, 'it orders what is permitted']],
  playfab: [
    [/\.Weight$/, 'it orders what is permitted'],
    [/\.StatisticsVisibilityToPlayers\./, 'it shows statistics'],
    [/\.(MaxMatchSize|MaxTicketSize)$/, 'the teams have fewer players'],
    [/\.(Difference|Min|Max|MinIntersectionSize)$/, 'it is ignored where there are overrides'],
  ],
  unity: [
    [/^\$schema$/, 'it is for editors'],
    [/^defaultPool\.(name|matchLogic\.name)$/, 'the queue has the name of the queue'],
  ],
};
