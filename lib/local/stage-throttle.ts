/** The rate limits of a stage of API Gateway: one bucket of tokens for each route. */
import { type RateLimit, TokenBucket } from '../service/concurrency/token-bucket.ts';
import type { Resource } from './template.ts';

/** Whether a route takes a request now. API Gateway rejects it with status 429 otherwise, without `Retry-After`. */
export type StageThrottle = (routeKey: string) => boolean;

/** What API Gateway says to a client that it throttles. */
export const THROTTLED = 'Too Many Requests';

interface RouteSettings {
  readonly ThrottlingRateLimit?: number;
  readonly ThrottlingBurstLimit?: number;
}

/** The limits of a stage: those of a route, or those of all routes, each of which has a bucket of its own. */
export function stageThrottle(stage: Resource | undefined, now: () => number = Date.now): StageThrottle {
  const { DefaultRouteSettings, RouteSettings = {} } = (stage?.properties ?? {}) as {
    readonly DefaultRouteSettings?: RouteSettings;
    readonly RouteSettings?: Readonly<Record<string, RouteSettings>>;
  };
  const buckets = new Map<string, TokenBucket>();
  return (routeKey) => {
    const limit = limitOf({ ...DefaultRouteSettings, ...RouteSettings[routeKey] });
    if (limit === undefined) return true;
    const bucket = buckets.get(routeKey) ?? new TokenBucket(limit);
    buckets.set(routeKey, bucket);
    return bucket.take(now());
  };
}

function limitOf({ ThrottlingRateLimit, ThrottlingBurstLimit }: RouteSettings): RateLimit | undefined {
  if (ThrottlingRateLimit === undefined || ThrottlingBurstLimit === undefined) return undefined;
  return { perSecond: Number(ThrottlingRateLimit), burst: Number(ThrottlingBurstLimit) };
}
