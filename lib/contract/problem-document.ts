import * as z from 'zod';

/** Why the state of a resource does not allow a request (409): the meaning of each code, for programs. */
export const CONFLICT_CODES = {
  TICKET_ENDED: 'the ticket with this id has ended without a match; a new search needs a new ticketId',
  TICKET_ID_TAKEN: 'another ticket has this id',
  TICKET_NOT_QUEUED: 'the ticket to cancel or to replace is not QUEUED',
  TICKET_NOT_REPLACEABLE: 'the ticket to replace does not exist, or is of another queue or other players',
  TICKET_NOT_ACCEPTING: 'the ticket does not require acceptance, or is in another match',
  PLAYER_IN_TICKET: 'a player is in another ticket',
  LADDER_REMOVED: 'the ladder of the queue or match was removed',
  NO_PRESENCE: 'the queue has no presence',
  NO_BACKFILL: 'the queue takes no backfills',
  BACKFILL_ID_TAKEN: 'another backfill has this id',
  BACKFILL_ENDED: 'the backfill is not QUEUED',
  ROSTER_CHANGED: 'the match has players that the request does not name',
  MATCH_STATUS: 'the status of the match does not allow the request',
  MATCH_ASSIGNED: 'the match has another assignment',
  MATCH_NOT_RATED: 'the match was made in a queue without a ladder',
  MATCH_HAS_RESULT: 'the match has another result',
  EXPERIMENT_RUNNING: 'an experiment is running on the queue',
  LADDER_IN_USE: 'a queue names the ladder',
  TOO_MANY_DEFINITIONS: 'there are as many queues or ladders as a stack may have',
  TOO_MANY_LAYOUTS: 'earlier bucket layouts of the queue are still in use; retry later',
  DEFINITION_CHANGED: 'a definition that a deployment changes was changed since',
} as const;
export type ConflictCode = keyof typeof CONFLICT_CODES;

/** The RFC 9457 document in the response to a rejected request. */
export const problemDocument = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z
      .enum([...(Object.keys(CONFLICT_CODES) as ConflictCode[]), 'COOLDOWN'])
      .optional()
      .meta({ description: 'The reason for programs; every 409 has one. Later versions may add codes' }),
    errors: z
      .array(z.object({ pointer: z.string(), detail: z.string() }))
      .optional()
      .meta({ description: 'The invalid fields as JSON pointers' }),
  })
  .meta({ id: 'Problem', description: 'RFC 9457' });
export type ProblemDocument = z.output<typeof problemDocument>;
