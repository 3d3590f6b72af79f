/** The parts of the checkout's package.json that the package needs. */
export interface CheckoutManifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** Packages that several parts need, or that are small. They are installed with the package. */
const ALWAYS = [
  '@commander-js/extra-typings',
  'aws4fetch',
  'commander',
  'csv-parse',
  'ipaddr.js',
  'jsonc-parser',
  'zod',
];

/** A stranger's app has its own versions of these, and must share them. */
const CDK: Readonly<Record<string, string>> = { 'aws-cdk-lib': '^2.276.0', constructs: '^10.8.0' };

/** The entries of the package by their names in an import. */
const ENTRIES = {
  '.': 'lib/package/entries/constructs',
  './engine': 'lib/package/entries/engine',
  './policies': 'lib/package/entries/policies',
  './rules': 'lib/package/entries/rules',
  './simulation': 'lib/package/entries/simulation',
  './client': 'lib/client/index',
} as const;

/**
 * The package.json of the package. Packages that only some parts need are optional peers: npm does not install them, and an
 * import of a part that needs one says which is missing.
 */
export function packageManifest(checkout: CheckoutManifest): object {
  const { version, description, license, dependencies, optionalDependencies } = checkout;
  const always = Object.fromEntries(ALWAYS.map((name) => [name, dependencies[name]!]));
  // Sorted as npm writes them.
  const others = Object.entries({ ...dependencies, ...optionalDependencies })
    .filter(([name]) => !ALWAYS.includes(name) && !BUILT_IN.some((one) => name.startsWith(one)))
    .sort(([a], [b]) => a.localeCompare(b, 'en'));
  const peers = Object.fromEntries(
    others.map(([name, range]) => [name, CDK[name] ?? (name.startsWith('@dynoxide/') ? range : `^${range}`)]),
  );
  return {
    name: 'muster',
    version,
    description,
    license,
    type: 'module',
    // The oldest version that the parts were tried with. The functions themselves run on Node 24 in Lambda.
    engines: { node: '>=22.23' },
    bin: { muster: './lib/cli/muster.js' },
    sideEffects: false,
    exports: {
      ...Object.fromEntries(
        Object.entries(ENTRIES).map(([name, path]) => [
          name,
          { types: `./${path}.d.ts`, default: `./${path}.js` },
        ]),
      ),
      './package.json': './package.json',
    },
    dependencies: always,
    peerDependencies: peers,
    peerDependenciesMeta: Object.fromEntries(Object.keys(peers).map((name) => [name, { optional: true }])),
  };
}

/**
 * Packages that are not needed: they are bundled into the functions or the console's page, used to build, or Node itself. A name
 * stands for all names that begin with it.
 */
const BUILT_IN = [
  '@aws-lambda-powertools/',
  '@aws-sdk/client-',
  '@aws-sdk/lib-dynamodb',
  '@aws-sdk/util-dynamodb',
  '@preact/signals',
  'cdk-nag',
  'ipaddr.js',
  'node',
  'preact',
  'standardwebhooks',
  'zod-openapi',
];
