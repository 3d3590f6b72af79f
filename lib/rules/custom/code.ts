import { shown } from '../../vocabulary/expected.ts';

/** The studio's functions. */
export interface CustomCode {
  /** Those that rules can name. */
  readonly names: readonly string[];
  /** By name. Those that the module exports about others as `mayJoin.NAME` and `least.NAME`. */
  readonly functions: Readonly<Record<string, CustomFunction>>;
  /** A monotonic clock in milliseconds. @default calls may take any time, so that the same input gives the same output */
  readonly clockMs?: (() => number) | undefined;
}

type CustomFunction = (...args: readonly unknown[]) => unknown;

/**
 * The code of a module.
 * @param module what it exports
 * @throws Error when `mayJoin` or `least` is no record of functions that are about others that the module exports
 */
export function codeOf(module: object, clockMs?: CustomCode['clockMs']): CustomCode {
  const { mayJoin = {}, least = {}, ...others } = module as Record<string, unknown>;
  const functions = new Map(Object.entries(others).filter(([, one]) => typeof one === 'function'));
  const names = [...functions.keys()];
  for (const [about, all] of Object.entries({ mayJoin, least })) {
    if (typeof all !== 'object' || all === null)
      throw new Error(
        `Expected the export ${about} to be an object with a function by the name of another, got ${shown(all)}`,
      );
    for (const [name, one] of Object.entries(all)) {
      if (!names.includes(name) || typeof one !== 'function')
        throw new Error(
          `Expected ${about}.${name} to be a function that is about the exported function ${name}, got ${names.includes(name) ? shown(one) : `no such export: ${names.join(', ') || 'no function'}`}`,
        );
      functions.set(`${about}.${name}`, one);
    }
  }
  return { names, functions: Object.fromEntries(functions) as CustomCode['functions'], clockMs };
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
