#!/usr/bin/env node
import { Command } from 'commander';
import { demoCommand } from './demo.ts';
import { reportFailure } from './failure.ts';
import { matchCommand } from './match.ts';
import { partitionCommand } from './partition.ts';
import { reproduceCommand } from './reproduce.ts';
import { serveCommand } from './serve.ts';
import { simulateCommand } from './simulate.ts';
import { tuneCommand } from './tune.ts';
import { validateCommand } from './validate.ts';

const program = new Command('muster')
  .description('A serverless team matchmaker for games: provably fair matches, on AWS or on this machine.')
  .addCommand(demoCommand())
  .addCommand(matchCommand())
  .addCommand(partitionCommand())
  .addCommand(reproduceCommand())
  .addCommand(serveCommand())
  .addCommand(simulateCommand())
  .addCommand(tuneCommand())
  .addCommand(validateCommand());

for (const command of [program, ...program.commands]) {
  command.exitOverride().showHelpAfterError('(--help tells more)');
}

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error);
}
