import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';

/** An answer of the API. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed; undefined when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: each route has an answer of its own form, which the document tells
  readonly body: any;
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, object>> }>>;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Statuses that any request may get from the API as such; operations do not list them. */
const EVERYWHERE = [404, 405, 500];

/**
 * Checks answers against the OpenAPI document the service itself serves: the status is one the operation
 * lists, and the body has the form it promises for it. A body that is an error is a problem document.
 */
export function answerChecker(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema(document, 'openapi');
  const errorsAt = (pointer: readonly string[], body: unknown): unknown[] => {
    const path = pointer.map((token) =>
      encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    const $ref = `openapi#/${path.join('/')}`;
    const validate = ajv.getSchema($ref) ?? ajv.compile({ $ref });
    validate(body);
    return validate.errors ?? [];
  };

  return (method: string, path: string, { status, headers, body }: Answer): void => {
    const what = `${method} ${path} answered ${status} ${JSON.stringify(body)}`;
    const type = headers.get('content-type')?.split(';')[0];
    if (status >= 400) {
      expect(type, what).toBe('application/problem+json');
      expect(errorsAt(['components', 'schemas', 'Problem'], body), what).toEqual([]);
      expect(body, what).toMatchObject({ status, title: expect.any(String), detail: expect.any(String) });
    }
    const template = templateOf(document, path);
    const operation = template === undefined ? undefined : document.paths[template]![method.toLowerCase()];
    if (operation === undefined) {
      expect([404, 405], what).toContain(status);
      return;
    }
    const documented = operation.responses[status];
    if (documented === undefined) {
      expect(EVERYWHERE, `${what}, which its operation in /openapi.json does not list`).toContain(status);
      return;
    }
    const types = Object.keys(documented.content ?? {});
    if (types.length === 0) {
      expect(body, what).toBeUndefined();
      return;
    }
    expect(types, what).toContain(type);
    expect(
      errorsAt(
        ['paths', template!, method.toLowerCase(), 'responses', String(status), 'content', type!, 'schema'],
        body,
      ),
      what,
    ).toEqual([]);
  };
}

function templateOf(document: OpenApiDocument, path: string): string | undefined {
  const given = path.split('?')[0]!.split('/');
  return Object.keys(document.paths).find((template) => {
    const wanted = template.split('/');
    return (
      wanted.length === given.length &&
      wanted.every((part, i) => (part.startsWith('{') ? given[i] !== '' : part === given[i]))
    );
  });
}
