import { readFileSync } from 'node:fs';
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { loadCode } from './code-option.ts';
import { consoleCommand } from './console.ts';
import { costCommand } from './cost.ts';
import { demoCommand } from './demo/demo.ts';
import { exportCommand } from './export.ts';
import { reportFailure } from './failure.ts';
import { importCommand } from './import.ts';
import { ladderCommand } from './ladder.ts';
import { matchCommand } from './match.ts';
import { preflightCommand } from './preflight.ts';
import { rateCommand } from './rate.ts';
import { reproduceCommand } from './reproduce.ts';
import { serveCommand } from './serve.ts';
import { simulateCommand } from './simulate.ts';
import { tuneCommand } from './tune.ts';
import { validateCommand } from './validate.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/**
 * Runs one command to its end. A failure is printed on standard error, and sets the exit status of the process.
 * @param args what follows `muster` on the command line
 */
export async function runMuster(args: readonly string[]): Promise<void> {
  try {
    await (await program()).parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = reportFailure(error);
  }
}

async function program(): Promise<Command> {
  // Help lists the commands in this order, the order in which a new user needs them.
  const muster = new Command('muster')
    .description('A serverless team matchmaker for games: provably fair matches, on AWS or on this machine.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .hook('preAction', (_, command) => loadCode(command.opts().code as string | undefined))
    .addCommand(demoCommand())
    .addCommand(serveCommand())
    .addCommand(consoleCommand())
    .addCommand(validateCommand())
    .addCommand(preflightCommand())
    .addCommand(matchCommand())
    .addCommand(simulateCommand())
    .addCommand(tuneCommand())
    .addCommand(rateCommand())
    .addCommand(costCommand())
    .addCommand(await reproduceCommand())
    .addCommand(importCommand())
    .addCommand(exportCommand())
    .addCommand(ladderCommand());
  reportErrors(muster, 'muster');
  return muster;
}

/** Makes a command and its own commands throw their errors, and name their help after them. */
function reportErrors(command: CommandUnknownOpts, words: string): void {
  command
    .exitOverride()
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError(`Run "${words} --help" to see its options.`);
  for (const each of command.commands) reportErrors(each, `${words} ${each.name()}`);
}
