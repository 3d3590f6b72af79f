import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { openApi } from '../../lib/contract/openapi.ts';
import { synthesized } from '../infra/synthesized.ts';

const document = JSON.parse(JSON.stringify(openApi()));

it('the description is valid OpenAPI 3.1', async () => {
  expect(document.openapi).toMatch(/^3\.1\./);
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
});

it('every route of the template is in it, and the other way round', () => {
  const { template } = synthesized();
  const routes = Object.values(template.Resources)
    .filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Route')
    .map(({ Properties }) => String(Properties.RouteKey))
    .filter((key) => key !== '$default');
  const described = Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.sort()).toEqual(routes.sort());
});

it('every operation has an id of its own, and every parameter of its path', () => {
  const ids: string[] = [];
  for (const [path, operations] of Object.entries<
    Record<string, { operationId: string; parameters?: { in: string; name: string }[] }>
  >(document.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { operationId, parameters = [] } of Object.values(operations)) {
      ids.push(operationId);
      expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(names);
    }
  }
  expect(new Set(ids).size).toBe(ids.length);
});

it('every example of what is wrong is a problem document', () => {
  for (const operations of Object.values<Record<string, { responses: Record<string, { content?: object }> }>>(
    document.paths,
  )) {
    for (const { responses } of Object.values(operations)) {
      for (const [status, { content = {} }] of Object.entries(responses)) {
        const types = Object.keys(content);
        if (Number(status) >= 400) expect(types).toEqual(['application/problem+json']);
        else if (status !== '204') expect(types).toEqual(['application/json']);
      }
    }
  }
});
