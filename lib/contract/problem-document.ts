import * as z from 'zod';
import { CONFLICT_CODES, type ConflictCode } from './problem-code.ts';

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
