import { shown } from '../../vocabulary/expected.ts';

/** The studio's functions, by the names by which its module exports them. */
export interface CustomCode {
  readonly functions: Readonly<Record<string, CustomFunction>>;
  /** By the name of the rule's function. */
  readonly mayJoin: Readonly<Record<string, CustomFunction>>;
  /** By the name of the cost's function. */
  readonly least: Readonly<Record<string, CustomFunction>>;
  /** A monotonic clock in milliseconds. @default calls may take any time, so that the same input gives the same output */
  readonly clockMs?: (() => number) | undefined;
}

type CustomFunction = (...args: readonly unknown[]) => unknown;

/** The exports that say something about another function. */
const ABOUT_OTHERS = ['mayJoin', 'least'] as const;

/**
 * The code of a module.
 * @param module what it exports
 * @throws Error when `mayJoin` or `least` is no record of functions that the module exports
 */
export function codeOf(module: object, clockMs?: CustomCode['clockMs']): CustomCode {
  const all = Object.entries(module);
  const functions = Object.fromEntries(all.filter(isFunction));
  const [mayJoin, least] = ABOUT_OTHERS.map((name) =>
    aboutOthers(name, Object.fromEntries(all)[name], functions),
  );
  return { functions, mayJoin, least, clockMs };
}

function aboutOthers(
  name: string,
  value: unknown = {},
  functions: CustomCode['functions'],
): CustomCode['mayJoin'] {
  if (typeof value !== 'object' || value === null)
    throw new Error(
      `Expected the export ${name} to be an object with a function by the name of another, got ${shown(value)}`,
    );
  for (const entry of Object.entries(value)) {
    if (!isFunction(entry) || !Object.hasOwn(functions, entry[0]))
      throw new Error(
        `Expected ${name}.${entry[0]} to be a function that is about the exported function ${entry[0]}, got ${isFunction(entry) ? `no such export: ${Object.keys(functions).join(', ') || 'no function'}` : shown(entry[1])}`,
      );
  }
  return value as CustomCode['mayJoin'];
}

function isFunction(entry: [string, unknown]): entry is [string, CustomFunction] {
  return typeof entry[1] === 'function';
}

/** The code that this process runs: one, as it has one set of rule types. */
let inUse: CustomCode | undefined;

/** Takes this code for all searches from now on; undefined for none. */
export function useCode(code: CustomCode | undefined): void {
  inUse = code;
}

export function codeInUse(): CustomCode | undefined {
  return inUse;
}

/** The names of its functions; undefined without code. */
export function functionsInUse(): string[] | undefined {
  return inUse && Object.keys(inUse.functions);
}

/**
 * Why rules cannot be searched with some code: each function that it does not have, by name, with the place in the definition.
 * @param names the functions of the code; undefined when there is no code
 */
export function missingFunctions(
  rules: readonly { readonly name: string; readonly type: string }[],
  names: readonly string[] | undefined,
): { readonly pointer: string; readonly detail: string }[] {
  return rules.flatMap((rule, index) => {
    const { function: wanted } = rule as { readonly function?: string };
    if (rule.type !== 'custom' || wanted === undefined || names?.includes(wanted)) return [];
    const has =
      names === undefined
        ? 'there is no code: name its file with the option code of the deployment, or --code of a command'
        : `the code exports ${names.join(', ') || 'no function'}`;
    const detail = `Expected a function of the deployed code, got ${wanted} for rule ${rule.name}: ${has}`;
    return [{ pointer: `#/rules/${index}/function`, detail }];
  });
}
