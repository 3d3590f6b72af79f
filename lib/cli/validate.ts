import { styleText } from 'node:util';
import { Command } from 'commander';
import { isLoopback, refusalOf, urlProblems, urlsOf } from '../contract/outbound-url.ts';
import { invalid } from '../contract/problem.ts';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { reportFailure } from './failure.ts';
import { readQueueFile } from './input.ts';

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

/** The command `validate`: checks all given queue definitions and reports every invalid field. */
export function validateCommand(): Command {
  return new Command('validate')
    .summary('check queue definitions')
    .description(
      'Checks queue definitions and names every invalid field. Prints to standard error only. URLs on this machine are valid, ' +
        'with a note: only the local service may call them.',
    )
    .argument('<file...>', 'queue definitions')
    .action((files: string[]) => {
      const fileOfQueue = new Map<string, string>();
      const valid = styleText('green', 'valid', { stream: process.stderr });
      for (const file of files) {
        try {
          const definition = readQueueFile(file);
          const { name } = definition;
          checkUrls(definition, file);
          const other = fileOfQueue.get(name);
          console.error(
            `${file}: ${valid} (queue ${name}${other === undefined ? '' : `, the same name as in ${other}`})`,
          );
          fileOfQueue.set(name, file);
        } catch (error) {
          process.exitCode = reportFailure(error);
        }
      }
    });
}
