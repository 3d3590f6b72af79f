/** The CORS headers and preflights of API Gateway, by the `CorsConfiguration` of an HTTP API. */
import type { IncomingMessage } from 'node:http';
import type { Properties } from './template.ts';

export interface Cors {
  readonly allowedOrigins: readonly string[];
  /** The headers of the response to a request; none when its origin is not allowed, or it has none. */
  headers(request: Pick<IncomingMessage, 'method' | 'headers'>): Readonly<Record<string, string>>;
}

/** @param configuration of the API; without one no origin is allowed */
export function corsOf(configuration: Properties = {}): Cors {
  const list = (name: string) => (configuration[name] as string[] | undefined) ?? [];
  const allowedOrigins = list('AllowOrigins');
  return {
    allowedOrigins,
    headers({ method, headers }) {
      const { origin } = headers;
      if (origin === undefined) return {};
      if (!allowedOrigins.includes('*') && !allowedOrigins.includes(origin)) return {};
      const isAny = allowedOrigins.includes('*');
      return {
        'access-control-allow-origin': isAny ? '*' : origin,
        ...(!isAny && { vary: 'Origin' }),
        ...(isPreflight({ method, headers })
          ? {
              'access-control-allow-methods': list('AllowMethods').join(','),
              'access-control-allow-headers': list('AllowHeaders').join(','),
              'access-control-max-age': String(configuration.MaxAge ?? 0),
            }
          : { 'access-control-expose-headers': list('ExposeHeaders').join(',') }),
      };
    },
  };
}

function isPreflight({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
