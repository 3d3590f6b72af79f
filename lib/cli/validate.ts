import { styleText } from 'node:util';
import { Command } from 'commander';
import { reportFailure } from './failure.ts';
import { readQueueFile } from './input.ts';

/** The command `validate`: checks all given queue definitions and reports every invalid field. */
export function validateCommand(): Command {
  return new Command('validate')
    .summary('check queue definitions')
    .description('Checks queue definitions and names every invalid field. Prints to standard error only.')
    .argument('<file...>', 'queue definitions')
    .action((files: string[]) => {
      const fileOfQueue = new Map<string, string>();
      const valid = styleText('green', 'valid', { stream: process.stderr });
      for (const file of files) {
        try {
          const { name } = readQueueFile(file);
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
