import type { RandomSource } from '../../lib/simulation/random.ts';
import { broken, brokenText, NUMBERS, STRINGS, textOf, treeOf } from './breakages.ts';
import { consistentDefinition } from './consistent.ts';
import { pick, type Schema, sampler } from './samples.ts';

/** A request in the form in which it is sent. */
export interface FuzzRequest {
  readonly method: string;
  /** The path and query, with any percent-encoding. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** The parts of an OpenAPI document from which requests are generated. */
export interface FuzzedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly schema: Schema;
  readonly required?: boolean;
}

export interface RequestMaker {
  /** The next request: one that fits the document, or one with a fault. */
  make(random: RandomSource): FuzzRequest;
  /** Learns ids from a request and its response. */
  learn(request: FuzzRequest, status: number, body: unknown): void;
}

/** The share of requests that fit the document. */
const FITTING_SHARE = 0.5;
/** The share of paths with a new name instead of a known one. */
const NEW_NAME_SHARE = 0.12;
/** The maximum of known names of each kind; a new one replaces the oldest. */
const NAMES_MAX = 20;
/** The relative frequency of operations: deletions are rarer than creations. */
const WEIGHTS = { body: 8, delete: 1, parameters: 3, plain: 1 };

/**
 * Generates requests for the operations of an OpenAPI document: requests that fit its schemas, and requests with faults
 * in the body, content type, path, query, method or headers. Names from earlier requests and responses are used again, so
 * that requests refer to existing items.
 */
export function requestMaker(document: FuzzedDocument): RequestMaker {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const weighted = operations.flatMap((one) =>
    Array<typeof one>(weightOf(one.method, one.operation)).fill(one),
  );
  const names = new Names(operations.flatMap(({ operation }) => operation.parameters ?? []));
  let pathNames: Readonly<Record<string, string>> = {};
  const sample = sampler(document, (schema, random) => {
    const kind = names.kindOf(schema);
    if (kind === undefined) return undefined;
    // A body often repeats a name from its path.
    const [same] = [pathNames[kind]];
    if (same !== undefined && random.uniform() < 0.9) return same;
    return random.uniform() < 0.3 ? names.any(kind, random) : undefined;
  });

  const make = (random: RandomSource): FuzzRequest => {
    const { path, method, operation } = pick(weighted, random);
    const parameters = operation.parameters ?? [];
    pathNames = {};
    const known: Record<string, string> = {};
    for (const { name, schema } of parameters.filter((parameter) => parameter.in === 'path')) {
      const fresh = random.uniform() < NEW_NAME_SHARE ? undefined : names.any(name, random);
      known[name] = fresh ?? String(sample(schema, random));
    }
    pathNames = known;
    const query = parameters
      .filter((parameter) => parameter.in === 'query' && (parameter.required || random.uniform() < 0.3))
      .map(({ name, schema }): [string, string] => [name, String(sample(schema, random))]);
    const [contentType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
    const generated = content === undefined ? undefined : sample(content.schema, random);
    const isDefinition = method === 'PUT' && path === '/queues/{queue}';
    const body = isDefinition ? consistentDefinition(generated, random) : generated;
    const fitting: Draft = {
      method,
      path: path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(known[name]!)),
      query: query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&'),
      headers: contentType === undefined ? {} : { 'content-type': contentType },
      ...(body !== undefined && { body }),
    };
    return sent(random.uniform() < FITTING_SHARE ? fitting : breakDraft(fitting, random));
  };

  return {
    make,
    learn(request, status, body) {
      if (status >= 300) return;
      const given = request.path.split('?')[0]!.split('/');
      for (const { path, method } of operations) {
        const wanted = path.split('/');
        if (method !== request.method || wanted.length !== given.length) continue;
        const fits = wanted.every((part, i) => part.startsWith('{') || part === given[i]);
        if (!fits) continue;
        for (const [i, part] of wanted.entries()) {
          if (!part.startsWith('{')) continue;
          if (method === 'DELETE' && i === wanted.length - 1)
            names.drop(part.slice(1, -1), decoded(given[i]!));
          else names.add(part.slice(1, -1), decoded(given[i]!));
        }
      }
      names.addAllIn(body);
    },
  };
}

function weightOf(method: string, operation: Operation): number {
  if (operation.requestBody !== undefined) return WEIGHTS.body;
  if (method === 'DELETE') return WEIGHTS.delete;
  return operation.parameters === undefined ? WEIGHTS.plain : WEIGHTS.parameters;
}

/** Known names by path parameter. */
class Names {
  readonly #kinds = new Map<string, { readonly schema: string; readonly names: string[] }>();

  constructor(parameters: readonly Parameter[]) {
    for (const { in: place, name, schema } of parameters) {
      if (place === 'path') this.#kinds.set(name, { schema: JSON.stringify(schema), names: [] });
    }
  }

  /** The first path parameter with this schema. */
  kindOf(schema: Schema): string | undefined {
    const text = JSON.stringify({ type: schema.type, pattern: schema.pattern });
    for (const [kind, { schema: own }] of this.#kinds) if (own === text) return kind;
    return undefined;
  }

  any(kind: string, random: RandomSource): string | undefined {
    const names = this.#kinds.get(kind)?.names ?? [];
    return names.length === 0 ? undefined : pick(names, random);
  }

  add(kind: string, name: string): void {
    const names = this.#kinds.get(kind)?.names;
    // A batch's result repeats the id of a refused ticket, which may have no percent-encoding or fit in no URL.
    if (names === undefined || names.includes(name) || !name.isWellFormed() || name.length > 1_000) return;
    names.push(name);
    if (names.length > NAMES_MAX) names.shift();
  }

  /** Forgets the name of a deleted item. */
  drop(kind: string, name: string): void {
    const names = this.#kinds.get(kind)?.names ?? [];
    const at = names.indexOf(name);
    if (at !== -1 && names.length > 3) names.splice(at, 1);
  }

  addAllIn(body: unknown): void {
    if (Array.isArray(body)) for (const item of body) this.addAllIn(item);
    else if (typeof body === 'object' && body !== null) {
      for (const [key, value] of Object.entries(body)) {
        if (typeof value === 'string') this.add(key, value);
        else this.addAllIn(value);
      }
    }
  }
}

/** A request before it is serialized. */
interface Draft {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

function sent({ method, path, query, headers, body }: Draft): FuzzRequest {
  const whole = { method, path: query === '' ? path : `${path}?${query}`, headers };
  if (body === undefined) return whole;
  return { ...whole, body: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)) };
}

function breakDraft(draft: Draft, random: RandomSource): Draft {
  const ways = [brokenPath, brokenQuery, brokenMethod, brokenHeaders];
  if (draft.body !== undefined) {
    ways.push(brokenBody, brokenBody, brokenBody, brokenBody, brokenBody, brokenContentType, brokenWhole);
  }
  return pick(ways, random)(draft, random);
}

function brokenBody(draft: Draft, random: RandomSource): Draft {
  let tree = treeOf(draft.body);
  for (let i = pick([1, 1, 1, 2, 3], random); i > 0; i--) tree = broken(tree, random);
  return { ...draft, body: Buffer.from(textOf(tree)) };
}

function brokenWhole(draft: Draft, random: RandomSource): Draft {
  return { ...draft, body: brokenText(JSON.stringify(draft.body), random) };
}

function brokenContentType(draft: Draft, random: RandomSource): Draft {
  const { 'content-type': _, ...others } = draft.headers;
  const type = pick(CONTENT_TYPES, random);
  return { ...draft, headers: type === undefined ? others : { ...others, 'content-type': type } };
}

const CONTENT_TYPES = [
  undefined,
  '',
  'text/plain',
  'text/json',
  'application/xml',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/JSON',
  'application/json;charset=utf-16',
  'application/json; charset=utf-8; charset=latin1',
  'application/json;;',
  'application/json, text/plain',
  'application/problem+json',
  'application/merge-patch+json',
  'application/jsonx',
  '*/*',
];

function brokenMethod(draft: Draft, random: RandomSource): Draft {
  return { ...draft, method: pick(METHODS, random) };
}

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND', 'M-SEARCH'];

function brokenPath(draft: Draft, random: RandomSource): Draft {
  const parts = draft.path.split('/');
  const at = 1 + random.integer(parts.length - 1);
  const replacement = pick<() => string>(
    [
      () => encodeURIComponent(wellFormed(pick(STRINGS, random)).slice(0, 4_000)),
      () => `${parts[at]}${pick(ODD_PARTS, random)}`,
      () => pick(ODD_PARTS, random),
      () => parts[at]!.toUpperCase(),
      () => [...(parts[at] ?? '')].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(''),
      () => `${parts[at]}/${parts[at]}`,
      () => '',
    ],
    random,
  )();
  return { ...draft, path: parts.with(at, replacement).join('/') };
}

const ODD_PARTS = [
  '%',
  '%zz',
  '%00',
  '%2F',
  '%2f..',
  '..',
  '.',
  '+',
  '%20',
  '%0a',
  '%ff',
  '%ed%a0%80',
  '%F0%9F%98%80',
  ';a=b',
  '{queue}',
  '*',
  '$default',
  '%25',
  'x'.repeat(3_000),
];

function brokenQuery(draft: Draft, random: RandomSource): Draft {
  const name =
    draft.query.split('=')[0] || pick(['waitSeconds', 'explain', 'limit', 'ticketIds', 'x'], random);
  const value = () =>
    pick(
      [...NUMBERS, ...ODD_PARTS, 'NaN', 'Infinity', '', ' ', 'true', 'null', '0x10', '1_0', '20.0001'],
      random,
    );
  const query = pick<() => string>(
    [
      () => `${name}=${encodeURIComponent(value())}`,
      () => `${name}=${value()}`.replaceAll(' ', '+'),
      () => `${name}`,
      () => `${name}=1&${name}=${encodeURIComponent(value())}`,
      () => `${draft.query}&unknown=1`,
      () => `=${encodeURIComponent(value())}`,
      () => '&&&===',
      () => `${name}[]=1`,
      () => `${encodeURIComponent(wellFormed(pick(STRINGS, random)).slice(0, 1_000))}=1`,
      () => `x=${'y'.repeat(6_000)}`,
    ],
    random,
  )();
  return { ...draft, query };
}

function brokenHeaders(draft: Draft, random: RandomSource): Draft {
  const [name, value] = pick(ODD_HEADERS, random);
  return { ...draft, headers: { ...draft.headers, [name]: value } };
}

const ODD_HEADERS: readonly [string, string][] = [
  ['accept', 'text/html'],
  ['accept', ''],
  ['accept-encoding', 'br;q=1, *;q=0'],
  ['accept-language', '\u00ff'],
  ['authorization', 'Bearer x.y.z'],
  ['authorization', 'Basic Og=='],
  ['content-encoding', 'gzip'],
  ['cookie', 'a=b; a=c; =; ;'],
  ['if-match', '"1"'],
  ['origin', 'http://localhost:5173'],
  ['range', 'bytes=0-0'],
  ['x-amzn-trace-id', 'Root=1;Parent=;Sampled=2'],
  ['x-forwarded-for', "'; --"],
  ['x-http-method-override', 'DELETE'],
  ['x-request-id', 'x'.repeat(2_000)],
  ['__proto__x', '1'],
  ['x-long', 'x'.repeat(7_000)],
];

/** encodeURIComponent throws on lone surrogates. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
