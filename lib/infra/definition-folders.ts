import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ladderProblems, parseLadderDefinition } from '../contract/ladder.ts';
import { refusalOf } from '../contract/outbound-url.ts';
import { type FieldProblem, invalid } from '../contract/problem.ts';
import { parseQueueDefinition } from '../contract/queue-definition.ts';
import type { SecretGrants } from '../contract/secret-grants.ts';
import { type DeploymentRules, deploymentProblems } from '../service/queues/deployment-rules.ts';

/** The text of each definition of a folder, without insignificant spaces, by its name. */
export type DefinitionTexts = Record<string, string>;

/**
 * Reads a folder of queue definitions. Throws an error naming the file when one is no valid definition, names a secret that its
 * queue may not use, or names a ladder that is not among `ladders`, or two have the same name.
 * @param options `isPublic`: reject URLs that a deployment can never call. The local service may call them. `ladders`: those
 *   of the folder of ladders @default none. `push`: whether players can connect @default true. `functions`: those of the
 *   deployed code @default there is no code
 */
export function readQueueDefinitions(
  dir: string,
  grants: SecretGrants,
  {
    isPublic = false,
    ladders = {},
    push = true,
    functions,
  }: {
    isPublic?: boolean;
    ladders?: Readonly<DefinitionTexts> | undefined;
    push?: boolean | undefined;
    functions?: readonly string[] | undefined;
  } = {},
): DefinitionTexts {
  const rules: DeploymentRules = {
    refuseUrl: isPublic ? refusalOf : () => undefined,
    secretGrants: grants,
    gameSessionQueues: 'any',
    push,
    functions,
  };
  return readDefinitions(dir, 'queue', parseQueueDefinition, (definition) => [
    ...ladderProblems(definition, Object.keys(ladders)),
    ...deploymentProblems(definition, rules),
  ]);
}

/**
 * Reads a folder of ladder definitions. Throws an error naming the file when one is no valid definition, or two have the same
 * name.
 */
export function readLadderDefinitions(dir: string): DefinitionTexts {
  return readDefinitions(dir, 'ladder', parseLadderDefinition, () => []);
}

function readDefinitions<Definition extends { readonly name: string }>(
  dir: string,
  kind: 'queue' | 'ladder',
  parse: (text: string, source: string) => Definition,
  problemsOf: (definition: Definition) => FieldProblem[],
): DefinitionTexts {
  const sources = new Map<string, string>();
  const texts: DefinitionTexts = {};
  for (const file of readdirSync(dir).sort()) {
    if (!file.endsWith('.json')) continue;
    const source = join(dir, file);
    // Some editors write a byte order mark, which is not part of the text.
    const text = readFileSync(source, 'utf8').replace(/^\uFEFF/, '');
    const definition = parse(text, source);
    const problems = problemsOf(definition);
    if (problems.length > 0) throw invalid(source, problems);
    const { name } = definition;
    const other = sources.get(name);
    if (other !== undefined) {
      throw new Error(
        `Expected ${kind} names to be unique, got "${name}" in both ${other} and ${source}. Rename one.`,
      );
    }
    sources.set(name, source);
    texts[name] = JSON.stringify(JSON.parse(text));
  }
  return texts;
}
