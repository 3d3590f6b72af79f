import * as z from 'zod';
import { check, type FieldProblem, invalid } from '../../contract/problem.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { fileTicket, type NewTicket, skilledTicket } from '../../contract/ticket.ts';
import type { Ticket } from '../../engine/types.ts';
import { shown } from '../../vocabulary/expected.ts';
import { toEngineTicket } from '../domain/stored-ticket.ts';
import { misfits, playerProblems } from './misfits.ts';

/** The ticket that a client POSTs to a queue, or every invalid field. */
export function readNewTicket(
  body: unknown,
  definition: QueueDefinition,
  variants: readonly QueueDefinition[] = [],
): { readonly ticket?: NewTicket; readonly problems: readonly FieldProblem[] } {
  return readTicket(skilledTicket, body, definition, variants);
}

/**
 * Parses a tickets file. Ids must be unique, and every ticket must fit the queue.
 * @param pointer the position of the list of tickets in the input
 * @throws Problem (400) that names every invalid field
 */
export function parseTicketsFile(
  body: unknown,
  definition: QueueDefinition,
  what: string,
  pointer = '#',
): Ticket[] {
  if (!Array.isArray(body))
    throw invalid(what, [{ pointer, detail: `Expected a list of tickets, got ${shown(body)}` }]);
  const seen = new Set<unknown>();
  const read = body.map((item) => readTicket(fileTicket, item, definition));
  const problems = read.flatMap((one, i) => {
    const ticketId = body[i]?.ticketId;
    const again = seen.has(ticketId);
    if (ticketId !== undefined) seen.add(ticketId);
    return [
      ...one.problems,
      ...(again
        ? [{ pointer: '#/ticketId', detail: `Expected each ticketId once, got ${ticketId} again` }]
        : []),
    ].map((problem) => ({ ...problem, pointer: `${pointer}/${i}${problem.pointer.slice(1)}` }));
  });
  if (problems.length > 0) throw invalid(what, problems);
  return read.map(({ ticket }) => toEngineTicket(ticket!, definition));
}

/** A ticket parsed by a schema, or all of its faults. */
function readTicket<T extends z.ZodType<NewTicket>>(
  schema: T,
  body: unknown,
  definition: QueueDefinition,
  variants: readonly QueueDefinition[] = [],
): { ticket?: z.output<T>; problems: FieldProblem[] } {
  const { data, problems = [] } = check(schema, body);
  if (data !== undefined) {
    const misfit = misfits(data, definition, variants);
    return misfit.length > 0 ? { problems: misfit } : { ticket: data, problems };
  }
  const party = readableTicket.safeParse(body);
  const further = party.success ? playerProblems(party.data.players, definition) : [];
  // A field that cannot be read is not reported as missing too.
  const isOther = ({ pointer }: FieldProblem) =>
    !problems.some((one) => isWithin(pointer, one.pointer) || isWithin(one.pointer, pointer));
  return { problems: [...problems, ...further.filter(isOther)] };
}

/** Whether a pointer is another one, or one of its parts. */
function isWithin(pointer: string, other: string): boolean {
  return `${pointer}/`.startsWith(`${other}/`);
}

/** The readable part of the players of an invalid ticket, to find its other faults too. An invalid attribute value becomes NaN. */
const readableTicket = z.object({
  players: z.array(
    z
      .object({
        playerId: z.string().optional().catch(undefined),
        roles: z.array(z.string()).optional().catch(undefined),
        teams: z.array(z.string()).optional().catch(undefined),
        attributes: z
          .record(z.string(), z.union([z.number(), z.string(), z.array(z.string())]).catch(Number.NaN))
          .optional()
          .catch(undefined),
        latencyMs: z.record(z.string(), z.number()).optional().catch(undefined),
      })
      .catch({}),
  ),
});
