import { expect, it } from 'vitest';
import { stageThrottle } from '../../lib/local/stage-throttle.ts';
import { resourceOf, stackOf } from './fixtures.ts';

function throttleOf(properties: Readonly<Record<string, unknown>>, now: () => number) {
  const stack = stackOf({ Stage: { Type: 'AWS::ApiGatewayV2::Stage', Properties: properties } });
  return stageThrottle(resourceOf(stack, 'AWS::ApiGatewayV2::Stage', 'Stage'), now);
}
const taken = (throttle: (routeKey: string) => boolean, routeKey: string, requests: number) =>
  Array.from({ length: requests }, () => throttle(routeKey)).filter(Boolean).length;

it('gives each route the burst and the rate of the stage, or its own', () => {
  let nowMs = 1_000_000;
  const throttle = throttleOf(
    {
      DefaultRouteSettings: { ThrottlingRateLimit: 10, ThrottlingBurstLimit: 20 },
      RouteSettings: { $default: { ThrottlingRateLimit: 1, ThrottlingBurstLimit: 2 } },
    },
    () => nowMs,
  );
  expect(taken(throttle, 'GET /a', 100)).toBe(20);
  expect(taken(throttle, 'GET /b', 100)).toBe(20);
  expect(taken(throttle, '$default', 100)).toBe(2);
  nowMs += 1_000;
  expect(taken(throttle, 'GET /a', 100)).toBe(10);
  expect(taken(throttle, '$default', 100)).toBe(1);
  nowMs += 3_600_000;
  expect(taken(throttle, 'GET /a', 100)).toBe(20);
});

it('takes everything without limits', () => {
  expect(taken(throttleOf({}, Date.now), 'GET /a', 10_000)).toBe(10_000);
});
