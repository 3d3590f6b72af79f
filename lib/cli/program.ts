import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { allowClosedPipes } from './closed-pipe.ts';
import { consoleCommand } from './console.ts';
import { costCommand } from './cost.ts';
import { demoCommand } from './demo/demo.ts';
import { exportCommand } from './export.ts';
import { reportFailure } from './failure.ts';
import { importCommand } from './import.ts';
import { ladderCommand } from './ladder.ts';
import { matchCommand } from './match.ts';
import { partitionCommand } from './partition.ts';
import { rateCommand } from './rate.ts';
import { reproduceCommand } from './reproduce.ts';
import { serveCommand } from './serve.ts';
import { simulateCommand } from './simulate.ts';
import { tuneCommand } from './tune.ts';
import { validateCommand } from './validate.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

// Help lists the commands in this order, the order in which a new user needs them.
const program = new Command('muster')
  .description('A serverless team matchmaker for games: provably fair matches, on AWS or on this machine.')
  .version(version, '-V, --version', 'print the version')
  .helpOption('-h, --help', 'print this help')
  .helpCommand('help [command]', 'print the help of a command')
  .addCommand(demoCommand())
  .addCommand(serveCommand())
  .addCommand(consoleCommand())
  .addCommand(validateCommand())
  .addCommand(matchCommand())
  .addCommand(partitionCommand())
  .addCommand(simulateCommand())
  .addCommand(tuneCommand())
  .addCommand(rateCommand())
  .addCommand(costCommand())
  .addCommand(reproduceCommand())
  .addCommand(importCommand())
  .addCommand(exportCommand())
  .addCommand(ladderCommand());

for (const command of [program, ...program.commands]) {
  const words = command === program ? 'muster' : `muster ${command.name()}`;
  command
    .exitOverride()
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError(`Run "${words} --help" to see its options.`);
}

allowClosedPipes();
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error);
}
