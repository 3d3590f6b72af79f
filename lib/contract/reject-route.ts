import { Problem } from './problem.ts';
import { ROUTE_KEYS, routeOf } from './routes.ts';

/**
 * Rejects a request that no route serves.
 * @throws Problem 405 the path has other methods, 404 it has none
 */
export function rejectRoute(method: string, path: string): never {
  const routes = ROUTE_KEYS.map(routeOf);
  const pattern = routes.find((route) => matches(route.path, path))?.path;
  if (pattern === undefined) {
    throw new Problem(404, `There is no route ${path}. GET /openapi.json lists the routes.`);
  }
  const allowed = routes.flatMap((route) => (route.path === pattern ? [route.method] : []));
  throw new Problem(405, `Expected ${allowed.join(' or ')} for ${pattern}, got ${method}.`, {
    headers: { allow: allowed.join(', ') },
  });
}

function matches(template: string, path: string): boolean {
  const wanted = template.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, i) => (part.startsWith('{') ? given[i] !== '' : part === given[i]))
  );
}
