import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { styleText } from 'node:util';
import { Command } from 'commander';
import { ladderProblems } from '../contract/ladder.ts';
import { isLoopback, refusalOf, urlProblems, urlsOf } from '../contract/outbound-url.ts';
import { invalid } from '../contract/problem.ts';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { reportFailure } from './failure.ts';
import { readLadderFile, readQueueFile } from './input.ts';

/** The command `validate`: checks all given definitions and reports every invalid field. */
export function validateCommand(): Command {
  return new Command('validate')
    .summary('check definitions of queues and ladders')
    .description(
      'Checks definitions and names every invalid field. Prints to standard error only. A file in a folder named ladders is a ' +
        'definition of a ladder, every other one of a queue. The folder ladders beside that of a queue is checked as well, and the ' +
        'ladder that a queue names has to be among the files. URLs on this machine are valid, with a note: only the local ' +
        'service may call them.',
    )
    .argument('<file...>', 'definitions of queues and ladders')
    .action((files: string[]) => {
      const isLadder = (file: string) => basename(dirname(resolve(file))) === 'ladders';
      const queues = files.filter((file) => !isLadder(file));
      const ofLadders = [...files.filter(isLadder), ...queues.flatMap(laddersBeside)];
      const once = new Map(ofLadders.map((file) => [resolve(file), file]));
      const ladders = checkFiles([...once.values()], 'ladder', readLadderFile);
      checkFiles(queues, 'queue', (file) => {
        const definition = readQueueFile(file);
        checkUrls(definition, file);
        const problems = ladderProblems(definition, ladders);
        if (problems.length > 0) throw invalid(file, problems);
        return definition;
      });
    });
}

/** The ladders that `serve` and a deployment read with the folder of a queue. */
function laddersBeside(queueFile: string): string[] {
  const dir = join(dirname(queueFile), '..', 'ladders');
  if (!existsSync(dir)) return [];
  const names = readdirSync(dir).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => join(dir, name));
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
 * Notes the URLs that only the local service may call.
 * @throws Problem when a URL can be called by no service
 */
function checkUrls(definition: QueueDefinition, file: string): void {
  const problems = urlProblems(definition, (url) => (isLoopback(url) ? undefined : refusalOf(url)));
  if (problems.length > 0) throw invalid(file, problems);
  for (const { pointer, url } of urlsOf(definition))
    if (isLoopback(new URL(url)))
      console.error(`${file}: ${pointer}: a deployment refuses ${url}; only the local service may call it`);
}
