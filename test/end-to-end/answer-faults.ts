import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { getOrCreate } from '../../lib/vocabulary/get-or-create.ts';

/** A response of the API. */
export interface Answer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** The parsed body; undefined when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: each route has its own response type, which the document describes
  readonly body: any;
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, object>> }>>;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Statuses that any request may get; operations do not list them. */
const EVERYWHERE = [404, 405, 500];

/**
 * Checks responses against the OpenAPI document that the service serves, and returns the faults. The operation must list
 * the status, and the body must match the schema for it. An error body must be a problem document. The document lets
 * later versions add fields, but here a field that it does not name is a fault.
 */
export function answerFaults(document: OpenApiDocument) {
  const errorsAt = schemaErrors(document);
  const problemFaults = (status: number, type: string | undefined, body: unknown): string[] => {
    if (type !== 'application/problem+json')
      return [`expected an error to be a problem document, got ${type}`];
    const { title, detail, status: own } = body as Record<string, unknown>;
    return [
      ...errorsAt(['components', 'schemas', 'Problem'], body),
      ...(own === status ? [] : [`the problem document has the status ${own}`]),
      ...(typeof title === 'string' && typeof detail === 'string'
        ? []
        : ['the problem has no title or detail']),
    ];
  };

  return (method: string, path: string, { status, headers, body }: Answer): string[] => {
    const type = headers.get('content-type')?.split(';')[0];
    // A response to HEAD has no body.
    const faults = status >= 400 && method !== 'HEAD' ? problemFaults(status, type, body) : [];
    const template = templateOf(document, path);
    const operation = template === undefined ? undefined : document.paths[template]![method.toLowerCase()];
    if (operation === undefined) {
      return [404, 405].includes(status)
        ? faults
        : [...faults, 'the document has no operation for this response'];
    }
    const documented = operation.responses[status];
    if (documented === undefined) {
      if (EVERYWHERE.includes(status)) return faults;
      return [...faults, 'its operation in /openapi.json does not list the status'];
    }
    const types = Object.keys(documented.content ?? {});
    if (types.length === 0) return body === undefined ? faults : [...faults, 'there should be no body'];
    if (!types.includes(type!)) return [...faults, `the body should be ${types}, it is ${type}`];
    const pointer = ['paths', template!, method.toLowerCase(), 'responses', String(status), 'content'];
    return [...faults, ...errorsAt([...pointer, type!, 'schema'], body)];
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

/** The faults of a webhook's body, by the document's schema of its event. */
export function webhookFaults(document: OpenApiDocument) {
  const errorsAt = schemaErrors(document);
  return (body: { readonly type: string }): string[] =>
    errorsAt(['webhooks', body.type, 'post', 'requestBody', 'content', 'application/json', 'schema'], body);
}

type SchemaErrors = (pointer: readonly string[], body: unknown) => string[];

/** A test runs most schemas a few times, so compiling them is what costs. The tests of a process compile each once. */
const compiled = new Map<string, SchemaErrors>();

/** Checks values against schemas of the document, which are addressed by their path. */
function schemaErrors(document: OpenApiDocument): SchemaErrors {
  return getOrCreate(compiled, JSON.stringify(document), () => compiledErrors(document));
}

function compiledErrors(document: OpenApiDocument): SchemaErrors {
  // openapi.test.ts validates the document.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    inlineRefs: false,
    validateSchema: false,
    code: { optimize: false },
  });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema(closed(document), 'openapi');
  return (pointer, body) => {
    const path = pointer.map((token) =>
      encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    const $ref = `openapi#/${path.join('/')}`;
    const validate = ajv.getSchema($ref) ?? ajv.compile({ $ref });
    validate(body);
    return (validate.errors ?? []).map(
      ({ instancePath, message }) => `${instancePath || 'the body'} ${message}`,
    );
  };
}

/** A copy of a schema, or of a document of schemas, whose objects allow no additional fields. */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, closed(value)]);
  const open = 'properties' in schema && !('additionalProperties' in schema);
  return Object.fromEntries(open ? [...entries, ['additionalProperties', false]] : entries);
}
