import * as z from 'zod';
import { fileTicket } from './ticket.ts';

/** A dry run at a chosen moment, before its tickets are read one by one. */
export const dryRunWithTime = z.strictObject({
  tickets: z.array(z.unknown()),
  now: z.iso.datetime({ offset: true }).optional(),
});

/** What a dry run takes: the tickets of a tickets file, alone or with the moment to search at. */
export const dryRunBody = z
  .union([z.array(fileTicket), dryRunWithTime.extend({ tickets: z.array(fileTicket) })])
  .meta({ id: 'DryRun' });
