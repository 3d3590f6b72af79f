import * as z from 'zod';
import { fileTicket } from './ticket.ts';

/** A dry run with the time of its search. Its tickets are parsed one by one later. */
export const dryRunWithTime = z.strictObject({
  tickets: z.array(z.unknown()),
  now: z.iso.datetime({ offset: true }).optional(),
});

/** The body of a dry run: the tickets of a tickets file, alone or with the time of the search. */
export const dryRunBody = z
  .union([z.array(fileTicket), dryRunWithTime.extend({ tickets: z.array(fileTicket) })])
  .meta({ id: 'DryRun' });
