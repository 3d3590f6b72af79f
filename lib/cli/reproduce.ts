import { existsSync } from 'node:fs';
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { Failure } from './failure.ts';

/** The command in a checkout. The package leaves the research out. */
const RESEARCH = new URL('../../research/lib/command.ts', import.meta.url);

/** Compares the figures of papers with ours: the command of the research where that is, else one that says where to find it. */
export async function reproduceCommand(): Promise<CommandUnknownOpts> {
  const command = new Command('reproduce').summary("compare a paper's results with ours");
  if (!existsSync(RESEARCH)) return command.argument('[words...]').allowUnknownOption().action(notHere);
  const research: { reproduceCommand(command: Command): Command } = await import(RESEARCH.href);
  return research.reproduceCommand(command);
}

function notHere(): never {
  throw new Failure(
    'muster reproduce needs a checkout of Muster, because the package leaves out its folder "research". ' +
      'In a clone of the repository run: npm ci && npx muster reproduce',
  );
}
