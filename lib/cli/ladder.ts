import { Command } from '@commander-js/extra-typings';
import type * as z from 'zod';
import { idParts } from '../client/parts-of.ts';
import { parseWith } from '../contract/problem.ts';
import { queueName } from '../contract/queue-definition.ts';
import { newRating, type ratingList } from '../contract/rating.ts';
import { id } from '../contract/ticket.ts';
import { askOf, type ServiceOptions, withService } from './client.ts';
import { InvalidInput } from './failure.ts';
import { type Line, linesOf, parseLine } from './input.ts';
import { readText } from './json-file.ts';
import { checkOutputs, writeText } from './output.ts';

/** Ratings that are sent at the same time. */
const AT_ONCE = 8;

const importedRating = newRating.extend({ playerId: id });
type RatingList = z.output<typeof ratingList>;

/** The command `ladder`: brings ratings into a running service, and takes them out. */
export function ladderCommand(): Command {
  const importing = withService(new Command('import'))
    .summary('put the ratings of a file on a ladder')
    .description(
      'Puts the ratings of a file of JSON lines on a ladder, such as {"playerId":"ann","mean":1612,"deviation":88,"matches":40}. ' +
        'Only playerId and mean are required. A rating that the player has is replaced. Sent again, it changes nothing more.',
    )
    .argument('<ladder>', 'the ladder')
    .requiredOption('--ratings <file>', 'JSON lines')
    .action(importRatings);
  const exporting = withService(new Command('export'))
    .summary('write the ratings of players as a file that import reads')
    .description(
      'Reads the ratings of players, whose ids are the lines of a file, and writes them as JSON lines. Players without a match are ' +
        'omitted.',
    )
    .argument('<ladder>', 'the ladder')
    .requiredOption('--players <file>', 'an id in each line')
    .requiredOption('--out <file>', 'the file to write')
    .action(exportRatings);
  return new Command('ladder')
    .summary('bring ratings into a running service, or take them out')
    .description('Brings ratings of players to a ladder of a running service, or takes them out.')
    .addCommand(importing)
    .addCommand(exporting);
}

async function importRatings(
  ladder: string,
  { ratings: file, ...service }: ServiceOptions & { readonly ratings: string },
): Promise<void> {
  const players = playersOf(ladder);
  const ratings = readLines(file).map((line) => parseLine(importedRating, line));
  const ask = await askOf(service);
  for (let from = 0; from < ratings.length; from += AT_ONCE) {
    const part = ratings.slice(from, from + AT_ONCE);
    await ask(
      (client) =>
        Promise.all(
          part.map(({ playerId, ...body }) =>
            client.request({ method: 'PUT', path: `${players}/${encodeURIComponent(playerId)}`, body }),
          ),
        ),
      `${from} of ${ratings.length} ratings were put, in the order of ${file}; run it again`,
    );
  }
  console.error(`${ladder}: ${ratings.length} ratings of ${file}`);
}

async function exportRatings(
  ladder: string,
  { players: file, out, ...service }: ServiceOptions & { readonly players: string; readonly out: string },
): Promise<void> {
  checkOutputs([out], [file]);
  const ids = readLines(file).map(({ text, source }) => parseWith(id, text, source));
  const players = playersOf(ladder);
  const ask = await askOf(service);
  const lines: string[] = [];
  for (const part of idParts(ids)) {
    const some = part.map(encodeURIComponent).join();
    const found = await ask(
      (client) => client.request<RatingList>({ method: 'GET', path: `${players}?playerIds=${some}` }),
      `${out} is not written`,
    );
    for (const { playerId, mean, deviation, matches } of found.ratings)
      if (matches > 0) lines.push(JSON.stringify({ playerId, mean, deviation, matches }));
  }
  writeText(out, lines.map((line) => `${line}\n`).join(''));
  console.error(`${out}: the ratings of ${lines.length} of ${ids.length} players on ${ladder}`);
}

/** The path of the players of a ladder. @throws Problem that names the ladder */
const playersOf = (ladder: string) => `/ladders/${parseWith(queueName, ladder, '<ladder>')}/players`;

/** @throws InvalidInput without any line */
function readLines(file: string): Line[] {
  const lines = linesOf(readText(file), file);
  if (lines.length === 0) throw new InvalidInput(`${file}: Expected at least one line, got none`);
  return lines;
}
