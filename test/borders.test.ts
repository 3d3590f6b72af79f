import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** The modules that each module may import from, besides itself: imports point one way. */
const vocabulary = ['vocabulary'];
const engine = [...vocabulary, 'engine'];
const rules = [...engine, 'rules'];
const policies = [...rules, 'policies'];
const experiments = ['experiments'];
const ratings = ['ratings'];
const contract = [...vocabulary, 'rules', ...experiments, ...ratings, 'contract'];
const service = [...policies, ...contract, 'service'];
const outside = [...service, 'aws', 'provisioners', 'costs', 'simulation'];
const mayImport: Record<string, readonly string[]> = {
  vocabulary: [],
  engine: vocabulary,
  rules: engine,
  policies: rules,
  experiments: [],
  ratings: [],
  contract,
  service,
  aws: service,
  provisioners: service,
  costs: service,
  simulation: [...service, 'costs'],
  client: ['contract'],
  // The console's server passes requests on, authorized as the client's; its page has the engine and the simulator.
  console: ['contract', 'client'],
  'console/page': [...policies, 'contract', 'simulation', 'client'],
  lambdas: outside,
  // The stack names its functions by path. It checks definitions and settings, and digests them, as the service does.
  infra: service,
  // The local cloud runs the stack in process, and the command line runs the local cloud.
  local: [...outside, 'infra'],
  // What strangers install: the entries of its parts, and its build.
  package: [...outside, 'infra', 'client', 'console'],
  // Queue definitions from the files of other matchmakers.
  importers: [...policies, ...contract, 'simulation'],
  // Its reports have the axes of the console's charts.
  cli: [...outside, 'local', 'client', 'console', 'console/page', 'importers'],
};

/** The modules of the engine, from the lowest up; each may import from those before it. */
const engineModules = [
  'collections',
  'model',
  'bounds',
  'solo',
  'shapes',
  'queue',
  'partition',
  'margin',
  'backfill',
];

/**
 * The rooms of the service, from the lowest up; each may import from those before it. Nouns are below the ports, and the use
 * cases are on top.
 */
const serviceRooms = [
  'concurrency',
  'domain',
  'ports',
  'waking',
  'definitions',
  'queues',
  'commits',
  'tickets',
  'placement',
  'backfills',
  'ratings',
  'ticks',
  'events',
  'players',
  'watching',
];

/** What the rest of the project imports of the engine. */
const engineDoors = ['lib/engine/game-pool.ts', 'lib/engine/types.ts'];

/**
 * What the research imports of the product besides the exports of the package: parts of the engine that its algorithms share,
 * what the papers' extensions and policies are compared with, the input of a command, and the queues of the benchmarks.
 */
const researchDoors = [
  'lib/cli/failure.ts',
  'lib/cli/input.ts',
  'lib/engine/bounds/range-bounds.ts',
  'lib/engine/collections/first-place.ts',
  'lib/engine/collections/key-heap.ts',
  'lib/engine/collections/sort-skills.ts',
  'lib/engine/model/division.ts',
  'lib/engine/model/forbids.ts',
  'lib/engine/model/solo-divider.ts',
  'lib/engine/shapes/shape-ticket.ts',
  'lib/engine/solo/solo-queue.ts',
  'lib/engine/solo/solo-search.ts',
  'lib/policies/choices/choice-counts.ts',
  'lib/policies/choices/choices.ts',
  'lib/policies/choices/stability.ts',
  'lib/policies/fifo.ts',
  'lib/rules/met.ts',
  'lib/rules/rule-states.ts',
  'lib/rules/rule-types.ts',
  'lib/rules/types.ts',
  'lib/service/queues/quantile.ts',
  'test/bench/scenarios.ts',
];

interface Import {
  readonly from: string;
  readonly to: string;
}

const imports = [...globSync('{lib,lambdas}/**/*.{ts,tsx}', { cwd: root })].sort().flatMap(importsOf);

/** The relative imports of a source file, as paths from the root. */
function importsOf(from: string): Import[] {
  const text = readFileSync(join(root, from), 'utf8');
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map(([, specifier]) => ({
    from,
    to: normalize(join(dirname(from), specifier)),
  }));
}

/** `lib/policies/plan.ts` is in `policies`, `lambdas/tick.ts` in `lambdas`; the console's page is a module of its own. */
function moduleOf(path: string): string {
  const [top, module] = path.split('/');
  if (path.startsWith('lib/console/page/')) return 'console/page';
  return top === 'lib' ? module : top;
}

/** The files that reach themselves by imports, each with one way back: a file is removed when all that it imports is. */
function circles(): string[][] {
  const left = new Map<string, Set<string>>();
  // An example in a comment imports the file that it is in.
  for (const { from, to } of imports) if (from !== to) left.set(from, (left.get(from) ?? new Set()).add(to));
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [from, all] of left) if (![...all].some((to) => left.has(to))) left.delete(from);
  }
  // What is left is in a circle or leads to one.
  return [...left.keys()].flatMap((start) => {
    const found = wayBack(start, left);
    return found === undefined ? [] : [found];
  });
}

function wayBack(start: string, next: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const from = new Map<string, string>();
  const open = [start];
  for (let file = open.shift(); file !== undefined; file = open.shift()) {
    for (const to of next.get(file) ?? []) {
      if (to === start) {
        const way = [start];
        for (let at: string | undefined = file; at !== undefined && at !== start; at = from.get(at))
          way.push(at);
        return way;
      }
      if (from.has(to)) continue;
      from.set(to, file);
      open.push(to);
    }
  }
  return undefined;
}

const written = ({ from, to }: Import) => `${from} imports ${to}`;

describe('the borders of the project', () => {
  it('reads imports between modules, so that the rules below have something to check', () => {
    expect(imports.length).toBeGreaterThan(300);
    expect(new Set(imports.map(({ from }) => moduleOf(from))).size).toBeGreaterThan(8);
  });

  it('knows every module', () => {
    const modules = new Set(imports.flatMap(({ from, to }) => [moduleOf(from), moduleOf(to)]));
    expect([...modules].filter((module) => !(module in mayImport))).toEqual([]);
  });

  it('lets imports point one way only', () => {
    const wrong = imports.filter(
      ({ from, to }) => moduleOf(from) !== moduleOf(to) && !mayImport[moduleOf(from)]?.includes(moduleOf(to)),
    );
    expect(wrong.map(written)).toEqual([]);
  });

  it('gives the contract the words and rules of a definition, and nothing that searches', () => {
    const reached = new Set(imports.flatMap(({ from }) => (moduleOf(from) === 'contract' ? [from] : [])));
    // A set also visits what is added to it on the way.
    for (const file of reached) for (const { from, to } of imports) if (from === file) reached.add(to);
    const modules = new Set([...reached].map(moduleOf));
    expect([...modules].sort()).toEqual(['contract', 'experiments', 'ratings', 'rules', 'vocabulary']);
    expect([...reached].filter((path) => path.startsWith('lib/rules/states/'))).toEqual([]);
  });

  it('has no circles of imports, of types neither', () => {
    expect(circles()).toEqual([]);
  });

  it('opens the engine by game-pool.ts and types.ts alone', () => {
    const wrong = imports.filter(
      ({ from, to }) => moduleOf(to) === 'engine' && moduleOf(from) !== 'engine' && !engineDoors.includes(to),
    );
    expect(wrong.map(written)).toEqual([]);
  });
});

describe('the research', () => {
  const own = [...globSync('research/lib/**/*.ts', { cwd: root })].sort().flatMap(importsOf);

  it('is in no import of the product, and one command loads it', () => {
    const files = globSync('{lib,lambdas}/**/*.{ts,tsx}', { cwd: root });
    const naming = files.filter((file) =>
      /'[^']*research\/lib[^']*'/.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(naming).toEqual(['lib/cli/reproduce.ts']);
  });

  it('imports the product by the exports of the package, and by these files', () => {
    const reached = own.map(({ to }) => to).filter((to) => !to.startsWith('research/'));
    expect([...new Set(reached)].sort()).toEqual(researchDoors);
  });
});

describe('the rooms of the service', () => {
  const inside = imports.filter(({ from, to }) => moduleOf(from) === 'service' && moduleOf(to) === 'service');
  const roomOf = (path: string) => path.split('/').slice(2, -1).join('/');

  it('are all known, and every file is in one', () => {
    const rooms = new Set(globSync('lib/service/**/*.ts', { cwd: root }).map(roomOf));
    expect([...rooms].sort()).toEqual([...serviceRooms].sort());
  });

  it('import from the rooms below them', () => {
    expect(inside.length).toBeGreaterThan(100);
    const wrong = inside.filter(
      ({ from, to }) => serviceRooms.indexOf(roomOf(to)) > serviceRooms.indexOf(roomOf(from)),
    );
    expect(wrong.map(written)).toEqual([]);
  });
});

describe('the modules of the engine', () => {
  const inside = imports.filter(({ from, to }) => moduleOf(from) === 'engine' && moduleOf(to) === 'engine');
  const engineModuleOf = (path: string) => path.split('/').slice(2, -1)[0];

  it('have nothing beside them but the two doors', () => {
    const files = [...globSync('lib/engine/*.ts', { cwd: root })].sort();
    expect(files).toEqual(engineDoors);
    const modules = new Set(globSync('lib/engine/*/*.ts', { cwd: root }).map(engineModuleOf));
    expect([...modules].sort()).toEqual([...engineModules].sort());
  });

  it('are listed in docs/engine.md from the lowest up', () => {
    const page = readFileSync(join(root, 'docs/engine.md'), 'utf8');
    expect([...page.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name)).toEqual(engineModules);
  });

  it('import from the modules below them and from types.ts', () => {
    const wrong = inside.filter(({ from, to }) => {
      if (to === 'lib/engine/types.ts' || from === 'lib/engine/game-pool.ts') return false;
      const [own, other] = [engineModuleOf(from), engineModuleOf(to)];
      return other === undefined || engineModules.indexOf(other) > engineModules.indexOf(own);
    });
    expect(wrong.map(written)).toEqual([]);
  });

  it('leave the collections generic', () => {
    const wrong = inside.filter(
      ({ from, to }) => /\/collections\//.test(from) && !/\/collections\//.test(to),
    );
    expect(wrong.map(written)).toEqual([]);
  });
});
