import { expect, it } from 'vitest';
import { verifyWebhook } from '../lib/client/index.ts';
import { webhookBodies } from '../lib/contract/events.ts';
import { problemDocument } from '../lib/contract/problem-document.ts';
import { ROUTE_KEYS, type RouteKey, routeOf } from '../lib/contract/routes.ts';
import { BLOCKS, PAGE } from './contract/examples.ts';

/** The schema of a request `POST /path`, a response `200 POST /path`, or the body of a webhook `MatchFound`. */
function schemaOf(what: string) {
  const webhook = webhookBodies.find(({ type }) => type === what);
  if (webhook !== undefined) return webhook.body;
  const [, status, key] = /^(?:(\d{3}) )?(.+)$/.exec(what)!;
  if (!ROUTE_KEYS.includes(key as RouteKey)) throw new Error(`Expected a route or an event, got ${what}`);
  if (Number(status) >= 400) return problemDocument;
  const { body, answers } = routeOf(key as RouteKey);
  return status === undefined ? body! : answers[Number(status)]!;
}

it.each(BLOCKS)('%s is as its schema says', (what, text) => {
  const value = JSON.parse(text);
  expect(schemaOf(what).parse(value)).toEqual(value);
});

it('the page shows the whole round', () => {
  expect(BLOCKS.length).toBe(14);
  expect(new Set(BLOCKS.map(([what]) => what)).size).toBe(14);
});

it('the signature of the test webhook is valid', async () => {
  const value = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(PAGE)![1]!;
  const headers = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, value(name)]),
  );
  const nowMs = 1_000 * Number(headers['webhook-timestamp']);
  const body = value('body');
  expect(await verifyWebhook(value('secret'), headers, body, { nowMs })).toEqual(JSON.parse(body));
  await expect(verifyWebhook(value('secret'), headers, `${body} `, { nowMs })).rejects.toThrow('signed');
});
