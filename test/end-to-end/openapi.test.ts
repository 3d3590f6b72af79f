import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { tokenScope } from '../../lib/contract/callers.ts';
import { openApi } from '../../lib/contract/openapi.ts';
import { ROUTE_KEYS, scopesOf } from '../../lib/contract/routes.ts';
import { withExamples } from '../contract/examples.ts';
import { builtApp } from '../infra/built-app.ts';

const document = JSON.parse(JSON.stringify(openApi()));

/** Statuses with which API Gateway rejects a request before it reaches a function. */
const GATEWAY = ['401', '403', '429'];

it('the document is valid OpenAPI 3.1', async () => {
  expect(document.openapi).toMatch(/^3\.1\./);
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
});

it('the document is the one in the documentation, which also has the bodies of a run', () => {
  const page = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
  expect(JSON.parse(page), 'run npm run docs:api').toEqual(withExamples(document));
  expect(page.match(/"example": /g)!.length).toBeGreaterThan(15);
});

it('the document has exactly the routes of the template', () => {
  const { template } = builtApp();
  const routes = Object.values(template.Resources)
    .filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Route')
    .map(({ Properties }) => String(Properties.RouteKey))
    .filter((key) => key !== '$default');
  const described = Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.sort()).toEqual(routes.sort());
  expect(ROUTE_KEYS.toSorted()).toEqual(routes.sort());
});

it.each(ROUTE_KEYS)('%s documents who may call it', (key) => {
  const [method, path] = key.split(' ') as [string, string];
  const { security, description, responses } = document.paths[path][method.toLowerCase()];
  const scopes = scopesOf(key).map(tokenScope);
  if (scopes.length === 0) return expect(security).toEqual([]);
  expect(security).toEqual([{ jwt: [] }, { iam: [] }]);
  for (const scope of scopes) expect(description).toContain(`\`${scope}\``);
  for (const name of security.flatMap(Object.keys))
    expect(document.components.securitySchemes).toHaveProperty(name);
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403', '429']));
});

it('every operation has a unique id, one tag and all parameters of its path', () => {
  const ids: string[] = [];
  for (const [path, operations] of Object.entries<
    Record<string, { operationId: string; tags: string[]; parameters?: { in: string; name: string }[] }>
  >(document.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { operationId, tags, parameters = [] } of Object.values(operations)) {
      expect(document.tags.filter(({ name }: { name: string }) => tags.includes(name))).toHaveLength(1);
      ids.push(operationId);
      expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(names);
    }
  }
  expect(new Set(ids).size).toBe(ids.length);
});

it('every example of an error is a problem document, except those of API Gateway', () => {
  const paths = document.paths as Record<
    string,
    Record<string, { responses: Record<string, { content?: object }> }>
  >;
  const ofBoth: string[] = [];
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { responses }] of Object.entries(operations)) {
      for (const [status, { content = {} }] of Object.entries(responses)) {
        const types = Object.keys(content);
        if (types.length > 1) {
          expect(types.toSorted()).toEqual(['application/json', 'application/problem+json']);
          ofBoth.push(`${method} ${path} ${status}`);
        } else if (GATEWAY.includes(status)) expect(types).toEqual(['application/json']);
        else if (Number(status) >= 400) expect(types).toEqual(['application/problem+json']);
        else if (status !== '204') expect(types).toEqual(['application/json']);
      }
    }
  }
  // The service limits the long polls of a player, and API Gateway the requests of all.
  expect(ofBoth).toEqual(['post /queues/{queue}/tickets 429', 'get /tickets/{ticketId} 429']);
});
