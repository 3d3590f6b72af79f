import type { QueueDefinition } from '../contract/queue-definition.ts';
import { rowsOf } from './csv.ts';
import { InvalidInput } from './failure.ts';

/** Separates the values of a cell that is a list: roles, and attributes that are lists of strings. */
const LIST = '|';
const REQUIRED = ['enqueuedAt', 'skill'];
const PLAIN = ['ticketId', 'playerId', 'roles', ...REQUIRED];

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
  const [header = [], ...lines] = rowsOf(text, file);
  const columns = header.map((name) => name.trim());
  const missing = REQUIRED.filter((name) => !columns.includes(name));
  if (missing.length > 0)
    throw new InvalidInput(
      `${file}:1: Expected columns with the names ${REQUIRED.join(' and ')}, got no ${missing.join(' and no ')}`,
    );
  const unknown = columns.find((name) => !PLAIN.includes(name) && !/^(latencyMs|attributes)\../.test(name));
  if (unknown !== undefined)
    throw new InvalidInput(
      `${file}:1: Expected columns from ${PLAIN.join(', ')}, latencyMs.REGION and attributes.NAME, got ${JSON.stringify(unknown)}`,
    );
  const tickets = new Map<string, { ticketId: string; enqueuedAt: string; players: unknown[] }>();
  for (const [at, cells] of lines.entries()) {
    if (cells.length !== columns.length)
      throw new InvalidInput(`${file}:${at + 2}: Expected ${columns.length} cells, got ${cells.length}`);
    const row = Object.fromEntries(columns.map((name, i) => [name, cells[i]!.trim()]));
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

/** A number; what is none stays as it is, so that the error shows it. */
function numberOr(cell: string): number | string {
  const number = Number(cell);
  return cell === '' || Number.isNaN(number) ? cell : number;
}
