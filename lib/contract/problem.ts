import type * as z from 'zod';
import { expectation, shown } from './expectation.ts';

/** One field at fault: an RFC 6901 JSON pointer as a URI fragment, and what is wrong with it. */
export interface FieldProblem {
  readonly pointer: string;
  readonly detail: string;
}

/** Statuses a caller can be answered with when a request fails. */
export type ProblemStatus = 400 | 403 | 404 | 405 | 409 | 413 | 415 | 500 | 503;

const TITLES: Record<ProblemStatus, string> = {
  400: 'Bad request',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Content too large',
  415: 'Unsupported media type',
  500: 'Internal error',
  503: 'Service unavailable',
};

/**
 * A request that is refused, with all the caller is told about it. It becomes an RFC 9457 problem
 * document; nothing else of an error ever leaves the service.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: ProblemStatus;
  readonly errors: readonly FieldProblem[];
  /** Members of the document beside the standard ones, such as the status a ticket is in. */
  readonly extensions: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ProblemStatus,
    detail: string,
    more: {
      errors?: readonly FieldProblem[];
      extensions?: Record<string, string>;
      headers?: Record<string, string>;
    } = {},
  ) {
    super(detail);
    this.status = status;
    this.errors = more.errors ?? [];
    this.extensions = more.extensions ?? {};
    this.headers = more.headers ?? {};
  }

  /** The RFC 9457 document. */
  toDocument(): Record<string, unknown> {
    return {
      type: 'about:blank',
      title: TITLES[this.status],
      status: this.status,
      detail: this.message,
      ...(this.errors.length > 0 && { errors: this.errors }),
      ...this.extensions,
    };
  }
}

/** So many fields at fault are named, so that an answer stays small whatever was sent. */
const ERRORS_MAX = 100;
/** So many of them in the sentence for people. */
const DETAILS_MAX = 10;

/** Input that does not fit its schema. */
export function invalid(what: string, errors: readonly FieldProblem[]): Problem {
  const named = errors.slice(0, ERRORS_MAX);
  const list = named.slice(0, DETAILS_MAX).map((error) => `${error.pointer}: ${error.detail}`);
  if (errors.length > DETAILS_MAX) list.push(`and ${errors.length - DETAILS_MAX} more`);
  return new Problem(400, `${what} is not valid: ${list.join('; ')}`, { errors: named });
}

/** Parses with a schema, or throws the 400 that names every field at fault. */
export function parseWith<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const result = check(schema, value);
  if (result.problems === undefined) return result.data;
  throw invalid(what, result.problems);
}

/** A value in the form its schema gives it, or every field at fault, in Muster's own words. */
export type Checked<T> =
  | { readonly data: T; readonly problems?: never }
  | { readonly data?: never; readonly problems: FieldProblem[] };

/** Checks a value against a schema. */
export function check<T extends z.ZodType>(schema: T, value: unknown): Checked<z.output<T>> {
  const result = schema.safeParse(value, { error: expectation });
  return result.success ? { data: result.data } : { problems: fieldProblems(result.error.issues) };
}

/** Zod's issues as pointers; an unknown key is named itself, not its parent. */
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

/** How deep an alternative of a union got before it failed: the deepest is what the caller meant. */
function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length));
}

function pointerTo(path: readonly PropertyKey[]): string {
  // JSON may name half of a surrogate pair, which has no percent-encoding.
  const tokens = path.map((key) =>
    encodeURIComponent(String(key).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')),
  );
  return ['#', ...tokens].join('/');
}
