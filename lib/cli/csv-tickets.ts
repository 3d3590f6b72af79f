import type { QueueDefinition } from '../contract/queue-definition.ts';
import { type CsvColumns, namedRows, numberOr } from './csv.ts';

/** Separates the values of a cell that is a list: roles, and attributes that are lists of strings. */
const LIST = '|';
const COLUMNS: CsvColumns = {
  required: ['enqueuedAt', 'skill'],
  optional: ['ticketId', 'playerId', 'roles'],
  prefixes: [
    ['latencyMs.', 'latencyMs.REGION'],
    ['attributes.', 'attributes.NAME'],
  ],
};

/**
 * The tickets of a CSV file, in the form of a JSON file of tickets. A line is a player, and lines with the same `ticketId` are a
 * party. The first line names the columns, in any order:
 *
 *     enqueuedAt          ISO 8601 with an offset
 *     skill               a number
 *     ticketId, playerId  numbered when there is no such column
 *     roles               separated by |
 *     latencyMs.REGION    milliseconds
 *     attributes.NAME     of the type that the definition gives it, lists separated by |
 *
 * An empty cell is a missing value. The values are checked as those of a JSON file.
 * @throws InvalidInput that names the line
 */
export function ticketsOfCsv(text: string, definition: QueueDefinition, file: string): unknown[] {
  const tickets = new Map<string, { ticketId: string; enqueuedAt: string; players: unknown[] }>();
  for (const [at, row] of namedRows(text, file, COLUMNS).entries()) {
    const ticketId = row.ticketId || `t${at + 1}`;
    const ticket = tickets.get(ticketId) ?? { ticketId, enqueuedAt: row.enqueuedAt!, players: [] };
    ticket.players.push(playerOf(row, at, definition));
    tickets.set(ticketId, ticket);
  }
  return [...tickets.values()];
}

function playerOf(
  row: Readonly<Record<string, string>>,
  at: number,
  { attributes = {} }: QueueDefinition,
): unknown {
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
    playerId: row.playerId || `p${at + 1}`,
    skill: numberOr(row.skill!),
    ...(row.roles && { roles: row.roles.split(LIST) }),
    ...(latencies.length > 0 && { latencyMs: Object.fromEntries(latencies) }),
    ...(own.length > 0 && { attributes: Object.fromEntries(own) }),
  };
}
