import * as z from 'zod';
import { Problem } from '../../contract/problem.ts';

/** The position of a scan of all tables. */
export interface Progress {
  position: string | undefined;
  changed: number;
  pending: number;
  unreadable: number;
}

const progress = z.object({
  position: z.string().min(1),
  changed: z.number().int().min(0),
  pending: z.number().int().min(0),
  unreadable: z.number().int().min(0).default(0),
});

/** The continuation that the client sends with its next request. */
export function progressText(value: Progress): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** @throws Problem (400) when the text is not a continuation */
export function progressFrom(text: string | undefined): Progress {
  if (text === undefined) return { position: undefined, changed: 0, pending: 0, unreadable: 0 };
  try {
    return progress.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
  } catch {
    throw new Problem(
      400,
      'Expected the continuation of the previous response, got another text. Repeat the request without it to begin again.',
    );
  }
}
