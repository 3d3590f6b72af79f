import type { QueueDefinition } from '../contract/queue-definition.ts';
import { type CsvColumns, type CsvRow, namedRows, numberOr, sharedCell } from './csv.ts';

/** Separates the values of a cell that is a list: roles, and attributes that are lists of strings. */
const LIST = /\s*\|\s*/;
const COLUMNS: CsvColumns = {
  required: ['enqueuedAt', 'skill'],
  optional: ['ticketId', 'playerId', 'roles'],
  prefixes: ['latencyMs.', 'attributes.'],
};

/**
 * The tickets of a CSV file, in the form of a JSON file of tickets. A line is a player, and lines with the same `ticketId` are a
 * party. The first line names the columns, in any order:
 *
 *     enqueuedAt          ISO 8601 with an offset, the same in all lines of a party
 *     skill               a number
 *     ticketId, playerId  numbered when there is no such column, or where it is empty
 *     roles               separated by |
 *     latencyMs.REGION    milliseconds
 *     attributes.NAME     of the type that the definition gives it, lists separated by |
 *
 * An empty cell is a missing value. The values are checked as those of a JSON file.
 * @returns also where the line of a player is, by the pointer of a fault
 * @throws InvalidInput that names the line or the ticket
 */
export function ticketsOfCsv(text: string, definition: QueueDefinition, file: string) {
  const rows = numbered(numbered(namedRows(text, file, COLUMNS), 'ticketId', 't'), 'playerId', 'p');
  const parties = [...Map.groupBy(rows, ({ cells }) => cells.ticketId!)];
  const tickets = parties.map(([ticketId, party]) => ({
    ticketId,
    enqueuedAt: sharedCell(party, 'enqueuedAt', `${file}: ticket ${ticketId}: Expected one time`),
    players: party.map(({ cells }) => playerOf(cells, definition)),
  }));
  const placeOf = (pointer: string): string => {
    const [, ticket = '', player = '0', cell = ''] =
      /^#\/(\d+)(?:\/players\/(\d+))?(?:\/(.*))?$/.exec(pointer) ?? [];
    const [, party = []] = parties[Number(ticket)] ?? [];
    return `line ${(party[Number(player)] ?? party[0])?.line} ${cell.replaceAll('/', '.')}`.trim();
  };
  return { tickets, placeOf };
}

/** Gives rows without an id the number of the row, or the next one that is not the id of another row. */
function numbered(rows: readonly CsvRow[], column: string, prefix: string): CsvRow[] {
  const used = new Set(rows.map(({ cells }) => cells[column]));
  let number = 0;
  return rows.map((row, at) => {
    if (row.cells[column]) return row;
    number = Math.max(number, at) + 1;
    while (used.has(`${prefix}${number}`)) number++;
    return { ...row, cells: { ...row.cells, [column]: `${prefix}${number}` } };
  });
}

function playerOf(row: CsvRow['cells'], { attributes = {} }: QueueDefinition): unknown {
  const named = (prefix: string, readCell: (name: string, cell: string) => unknown) =>
    Object.entries(row).flatMap(([column, cell]) => {
      const name = column.slice(prefix.length);
      return column.startsWith(prefix) && cell !== '' ? [[name, readCell(name, cell)] as const] : [];
    });
  const latencies = named('latencyMs.', (_, cell) => numberOr(cell));
  const own = named('attributes.', (name, cell) => {
    const type = Object.hasOwn(attributes, name) ? attributes[name]!.type : undefined;
    return type === 'number' ? numberOr(cell) : type === 'strings' ? cell.split(LIST) : cell;
  });
  return {
    playerId: row.playerId,
    skill: numberOr(row.skill!),
    ...(row.roles && { roles: row.roles.split(LIST) }),
    ...(latencies.length > 0 && { latencyMs: Object.fromEntries(latencies) }),
    ...(own.length > 0 && { attributes: Object.fromEntries(own) }),
  };
}
