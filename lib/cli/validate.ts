import { Command } from 'commander';
import { reportFailure } from './failure.ts';
import { readQueueFile } from './input.ts';

/** Checks queue definitions, all of them before it ends. */
export function validateCommand(): Command {
  return new Command('validate')
    .summary('check queue definitions')
    .description(
      'Checks queue definitions and tells every field at fault. Prints nothing on standard output.',
    )
    .argument('<file...>', 'queue definitions')
    .action((files: string[]) => {
      const names = new Map<string, string>();
      for (const file of files) {
        try {
          const { name } = readQueueFile(file);
          console.error(
            `${file}: fine (queue ${name}${names.has(name) ? `, the same name as ${names.get(name)}` : ''})`,
          );
          names.set(name, file);
        } catch (error) {
          process.exitCode = reportFailure(error);
        }
      }
    });
}
