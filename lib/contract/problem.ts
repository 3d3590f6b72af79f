import type * as z from 'zod';
import { shown } from '../vocabulary/expected.ts';
import { expectation } from './expectation.ts';
import type { ConflictCode, ProblemDocument } from './problem-document.ts';

/** One invalid field: an RFC 6901 JSON pointer as a URI fragment, and the reason. */
export interface FieldProblem {
  readonly pointer: string;
  readonly detail: string;
}

/** The statuses of failed requests. */
export type ProblemStatus = 400 | 403 | 404 | 405 | 409 | 412 | 413 | 415 | 429 | 500 | 503;

const TITLES: Record<ProblemStatus, string> = {
  400: 'Bad request',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  412: 'Precondition failed',
  413: 'Content too large',
  415: 'Unsupported media type',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Service unavailable',
};

/**
 * The rejection of a request, with all information for the caller. It becomes an RFC 9457 problem document. The
 * service reveals nothing else of an error.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: ProblemStatus;
  readonly errors: readonly FieldProblem[];
  /** Additional members of the document, such as the status of a ticket. */
  readonly extensions: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;

  /** @param status a 409 has a code for programs: see `conflict` */
  constructor(status: Exclude<ProblemStatus, 409>, detail: string, more?: More);
  constructor(status: 409, detail: string, more: More & { extensions: { code: ConflictCode } });
  constructor(status: ProblemStatus, detail: string, more: More = {}) {
    super(detail);
    this.status = status;
    this.errors = more.errors ?? [];
    this.extensions = more.extensions ?? {};
    this.headers = more.headers ?? {};
  }

  /** The RFC 9457 document. */
  toDocument(): ProblemDocument {
    return {
      type: 'about:blank',
      title: TITLES[this.status],
      status: this.status,
      detail: this.message,
      ...(this.errors.length > 0 && { errors: [...this.errors] }),
      ...this.extensions,
    };
  }
}

interface More {
  readonly errors?: readonly FieldProblem[];
  readonly extensions?: Record<string, string>;
  readonly headers?: Record<string, string>;
}

/**
 * The rejection of a request that the state of a resource does not allow. @param more members of the document, such as the status
 * of a ticket
 */
export function conflict(
  code: ConflictCode,
  detail: string,
  more: Record<string, string> = {},
  headers?: Record<string, string>,
): Problem {
  return new Problem(409, detail, { extensions: { code, ...more }, ...(headers && { headers }) });
}

/** The maximum of invalid fields in a response, which keeps every response small. */
export const ERRORS_MAX = 100;
/** The maximum of invalid fields in a text. */
const DETAILS_MAX = 10;

/** The problem for input that does not match its schema. */
export function invalid(what: string, errors: readonly FieldProblem[]): Problem {
  return new Problem(400, `${what} is not valid: ${textOf(errors)}`, { errors: errors.slice(0, ERRORS_MAX) });
}

/**
 * The first invalid fields, and the number of further ones. @param lettersMax the maximum length of the named fields @default all
 */
export function textOf(errors: readonly FieldProblem[], lettersMax?: number): string {
  const named = errors.slice(0, DETAILS_MAX).map(({ pointer, detail }) => `${pointer}: ${detail}`);
  const more = errors.length > DETAILS_MAX ? `; and ${errors.length - DETAILS_MAX} more` : '';
  return named.join('; ').slice(0, lettersMax) + more;
}

/** Parses JSON. @param source the subject of the error message @throws Problem (400) */
export function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(source, [
      { pointer: '#', detail: `Expected JSON, got invalid JSON: ${(error as Error).message}` },
    ]);
  }
}

/** Parses with a schema. @throws Problem (400) that names every invalid field */
export function parseWith<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const result = check(schema, value);
  if (result.problems === undefined) return result.data;
  throw invalid(what, result.problems);
}

/** A parsed value, or every invalid field with Muster's own messages. */
export type Checked<T> =
  | { readonly data: T; readonly problems?: never }
  | { readonly data?: never; readonly problems: FieldProblem[] };

/** Checks a value against a schema. */
export function check<T extends z.ZodType>(schema: T, value: unknown): Checked<z.output<T>> {
  const result = schema.safeParse(value, { error: expectation });
  return result.success ? { data: result.data } : { problems: fieldProblems(result.error.issues) };
}

/** Zod's issues as pointers. The pointer of an unknown key names the key, not its parent. */
function fieldProblems(issues: readonly z.core.$ZodIssue[]): FieldProblem[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        pointer: pointerTo([...issue.path, key]),
        detail: `${issue.message}, got ${shown(key)}`,
      }));
    }
    if (issue.code === 'invalid_union' && issue.errors.length > 0) {
      const closest = [...issue.errors].sort((a, b) => depth(b) - depth(a) || a.length - b.length)[0]!;
      if (depth(closest) > 0) {
        return fieldProblems(closest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })));
      }
    }
    return [{ pointer: pointerTo(issue.path), detail: issue.message }];
  });
}

/** The depth at which an alternative of a union fails. The deepest alternative is likely the intended one. */
function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length));
}

function pointerTo(path: readonly PropertyKey[]): string {
  // JSON may contain a lone surrogate, which has no percent-encoding.
  const tokens = path.map((key) =>
    encodeURIComponent(String(key).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')),
  );
  return ['#', ...tokens].join('/');
}
