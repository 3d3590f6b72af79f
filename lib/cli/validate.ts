import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { styleText } from 'node:util';
import { Command } from '@commander-js/extra-typings';
import { ladderProblems } from '../contract/ladder.ts';
import { isLoopback, refusalOf } from '../contract/outbound-url.ts';
import { type FieldProblem, invalid } from '../contract/problem.ts';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { ALL_SECRETS } from '../contract/secret-grants.ts';
import { type DeployContext, hasPush } from '../local/deploy-options.ts';
import { codeInUse } from '../rules/custom/code.ts';
import { placementSecondsOf } from '../service/domain/match-status.ts';
import { type DeploymentRules, deploymentProblems } from '../service/queues/deployment-rules.ts';
import { checkFunctions } from '../simulation/check-functions.ts';
import { codeOption } from './code-option.ts';
import { contextOption } from './context-option.ts';
import { reportFailure } from './failure.ts';
import { jsonFilesOf, readLadderFile, readQueueFile } from './input.ts';

/** The command `validate`: checks all given definitions and reports every invalid field. */
export function validateCommand() {
  return new Command('validate')
    .summary('check definitions of queues and ladders')
    .description(
      'Checks definitions and names every invalid field. Prints to standard error only. A file in a folder named ladders is a ' +
        'definition of a ladder, every other one of a queue. The folder ladders beside that of a queue is checked as well, and the ' +
        'ladder that a queue names has to be among the files. What some deployments refuse is valid, with a note: URLs on this ' +
        'machine, secrets that need a grant and queues of GameLift.',
    )
    .argument('<file...>', 'definitions of queues and ladders')
    .addOption(codeOption())
    .addOption(contextOption())
    .action((files: string[], { context }: { readonly context: DeployContext }) => {
      const push = hasPush(context);
      const isLadder = (file: string) => basename(dirname(resolve(file))) === 'ladders';
      const queues = files.filter((file) => !isLadder(file));
      const ofLadders = [...files.filter(isLadder), ...queues.flatMap(laddersBeside)];
      const once = new Map(ofLadders.map((file) => [resolve(file), file]));
      const ladders = checkFiles([...once.values()], 'ladder', readLadderFile);
      checkFiles(queues, 'queue', (file) => {
        const definition = readQueueFile(file);
        checkDeployable(definition, file, push);
        const problems = ladderProblems(definition, ladders);
        if (problems.length > 0) throw invalid(file, problems);
        playFunctions(definition, file);
        return definition;
      });
    });
}

/** The ladders that `serve` and a deployment read with the folder of a queue. */
function laddersBeside(queueFile: string): string[] {
  const dir = join(dirname(queueFile), '..', 'ladders');
  return existsSync(dir) ? jsonFilesOf(dir) : [];
}

/** Reports whether each file is valid, and returns the names of the definitions that are. */
function checkFiles(
  files: readonly string[],
  kind: string,
  read: (file: string) => { readonly name: string },
): string[] {
  const fileOf = new Map<string, string>();
  const valid = styleText('green', 'valid', { stream: process.stderr });
  for (const file of files) {
    try {
      const { name } = read(file);
      const other = fileOf.get(name);
      console.error(
        `${file}: ${valid} (${kind} ${name}${other === undefined ? '' : `, the same name as in ${other}`})`,
      );
      fileOf.set(name, file);
    } catch (error) {
      process.exitCode = reportFailure(error);
    }
  }
  return [...fileOf.keys()];
}

/**
 * Plays random games under the custom rules of a queue, and prints what they permit and how long their functions take.
 * @throws Problem that names each function with the simplest game that shows what is wrong
 */
function playFunctions(definition: QueueDefinition, file: string): void {
  const code = codeInUse();
  if (code === undefined) return;
  const reports = checkFunctions(definition, code, () => performance.now());
  const problems = reports.flatMap(({ rule, fault }): FieldProblem[] => {
    const place = definition.rules!.findIndex(({ name }) => name === rule);
    return fault === undefined ? [] : [{ pointer: `#/rules/${place}/function`, detail: fault }];
  });
  if (problems.length > 0) throw invalid(file, problems);
  for (const { rule, function: name, permittedShare, callMs } of reports)
    console.error(
      `${file}: rule ${rule}: ${name} permits ${Math.round(100 * permittedShare)} % of 1,000 random matches, ${(1000 * callMs).toFixed(0)} µs a call`,
    );
}

/** The rules of a deployment whose options allow everything, and of the local service. */
const WIDEST: Omit<DeploymentRules, 'push'> = {
  refuseUrl: (url) => (isLoopback(url) ? undefined : refusalOf(url)),
  secretGrants: ALL_SECRETS,
  gameSessionQueues: 'any',
};
/** The rules of a deployment whose options allow nothing. */
const NARROWEST: Omit<DeploymentRules, 'push'> = {
  refuseUrl: (url) => {
    const refusal = refusalOf(url);
    return refusal && `${refusal}; only the local service may call ${url}`;
  },
  secretGrants: {},
  gameSessionQueues: [],
};

/**
 * Notes what depends on the deployment, and what is valid but not sensible.
 * @param push whether players can connect
 * @throws Problem when no deployment takes the definition
 */
function checkDeployable(definition: QueueDefinition, file: string, push: boolean): void {
  const functions = codeInUse()?.names;
  const problems = deploymentProblems(definition, { ...WIDEST, push, functions });
  if (problems.length > 0) throw invalid(file, problems);
  for (const { pointer, detail } of deploymentProblems(definition, { ...NARROWEST, push, functions }))
    console.error(`${file}: ${pointer}: a deployment may refuse this: ${detail}`);
  for (const { pointer, detail } of warningsOf(definition))
    console.error(`${file}: ${pointer}: warning: ${detail}`);
}

/** Tickets that return to the queue when they have timed out get no further match. */
function warningsOf({ provisioner, timeoutSeconds }: QueueDefinition): FieldProblem[] {
  if (provisioner === undefined || provisioner.type === 'none' || provisioner.onFailure !== 'requeue')
    return [];
  const seconds = placementSecondsOf(provisioner);
  if (seconds < timeoutSeconds) return [];
  const detail = `Expected less than the timeoutSeconds of the queue (${timeoutSeconds}), got ${seconds}${provisioner.timeoutSeconds === undefined ? ' by default' : ''}: a ticket whose match is not placed in time has timed out when it returns to the queue, so onFailure has no effect; lower this one or raise that of the queue`;
  return [{ pointer: '#/provisioner/timeoutSeconds', detail }];
}
