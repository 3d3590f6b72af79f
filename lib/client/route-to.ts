import type { PathOf, RouteKey } from '../contract/routes.ts';
import type { RouteRequest } from './requests.ts';

/** Parameters of a query; undefined ones are omitted. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A request to a route of the API, with its parameters in the path and the query. */
export function to<Key extends RouteKey>(
  key: Key,
  parameters: PathOf<Key>,
  query: Query = {},
): Pick<RouteRequest, 'method' | 'path'> {
  const [method, template] = key.split(' ') as [RouteRequest['method'], string];
  const values = parameters as Readonly<Record<string, string | number>>;
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name]!));
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return { method, path: given.length === 0 ? path : `${path}?${given.join('&')}` };
}
