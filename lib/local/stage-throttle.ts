/** The rate limits of a stage of API Gateway: a token bucket for each route. */
import { type RateLimit, TokenBucket } from '../service/concurrency/token-bucket.ts';
import type { Resource } from './template.ts';

/** Whether a route accepts a request now. Otherwise API Gateway rejects it with status 429, without `Retry-After`. */
export type StageThrottle = (routeKey: string) => boolean;

/** The message of API Gateway to a throttled client. */
export const THROTTLED = 'Too Many Requests';

interface RouteSettings {
  readonly ThrottlingRateLimit?: number;
  readonly ThrottlingBurstLimit?: number;
}

/** The limits of a stage: the route's own or the default. Each route has its own bucket. */
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
