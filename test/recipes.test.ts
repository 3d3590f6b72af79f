import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROVISIONER_TYPES } from '../lib/contract/queue-definition.ts';
import { ROUTE_KEYS, routeOf } from '../lib/contract/routes.ts';
import { RULE_TYPES } from '../lib/rules/rule-types.ts';
import { releaseOptions } from '../lib/vocabulary/release-options.ts';

const root = join(import.meta.dirname, '..');
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

/** The sections of CONTRIBUTING.md that say how to add something, with the files that each names. */
const RECIPES = new Map(
  textOf('CONTRIBUTING.md')
    .split(/^## /m)
    .filter((section) => section.startsWith('Add '))
    .map((section) => [
      section.slice(0, section.indexOf('\n')),
      [...section.matchAll(/`((?:lib|lambdas|test|docs)\/[\w./-]+)`/g)].map(([, path]) => path!),
    ]),
);

/** The code of the product, without what is written from it. */
const CODE = globSync('{lib,lambdas}/**/*.{ts,tsx}', { cwd: root }).filter(
  (path) => path !== 'lib/client/api-types.ts',
);

/** The files that name all of these. A further one has to be added to each of them. */
function filesThatName(all: readonly string[]): string[] {
  const patterns = all.map((name) => new RegExp(`(?<![\\w-])(?:${name}|${camel(name)})(?![\\w-])`));
  return CODE.filter((path) => {
    const text = textOf(path);
    return patterns.every((pattern) => pattern.test(text));
  }).sort();
}

const camel = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

describe.each([
  ['Add a release policy', releaseOptions.options.map(({ shape }) => shape.policy.value)],
  ['Add a provisioner', PROVISIONER_TYPES.filter((type) => type !== 'none' && type !== 'external')],
  ['Add a type of rule', Object.keys(RULE_TYPES)],
] as const)('the recipe "%s"', (title, members) => {
  const recipe = RECIPES.get(title)!;

  it('names every file that names all of them', () => {
    expect(members.length).toBeGreaterThan(2);
    const found = filesThatName(members);
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((path) => !recipe.includes(path))).toEqual([]);
  });

  it('names files that exist, one for each of them where it says NAME', () => {
    const paths = recipe.flatMap((path) =>
      path.includes('NAME') ? members.map((member) => path.replace('NAME', kebab(member))) : path,
    );
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe('the recipe "Add an endpoint"', () => {
  const recipe = RECIPES.get('Add an endpoint')!;

  it('names files that exist', () => {
    const paths = recipe.filter((path) => !/NAME/.test(path));
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it.each(ROUTE_KEYS)('is enough for %s', (key) => {
    const { function: name } = routeOf(key);
    const found = CODE.filter((path) => textOf(path).includes(`'${key}'`)).sort();
    // The callers of a route are no part of it, and the stack keeps the names of two integrations.
    const isCaller = (path: string) => /^lib\/(client|cli|console)\//.test(path);
    const others = found.filter((path) => !isCaller(path) && path !== 'lib/infra/api.ts');
    expect(others).toEqual([`lambdas/${name}.ts`, 'lib/contract/routes.ts']);
  });
});
