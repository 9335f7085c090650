import { ApiError, ROUTES, type Route } from '../api/index.js';

/** The route of a path alone; the query is ignored, and nothing is decoded or normalised. */
export function routeOfTarget(target: string): Route | undefined {
  const path = target.split('?', 1)[0];
  return ROUTES.find((route) => route.path === path);
}

/**
 * Checks the method of a route. `OPTIONS` is refused like any other, with the methods in `Allow`: the service
 * answers no browsers of other origins, so there is no preflight to satisfy.
 */
export function checkMethod(route: Route, method: string): void {
  const allow = allowedMethods(route);
  if (allow.includes(method)) return;
  throw new ApiError('method_not_allowed', `${route.path} takes ${allow.join(' or ')}.`, { allow });
}

/** `HEAD` goes wherever `GET` does. */
function allowedMethods(route: Route): readonly string[] {
  return route.method === 'GET' ? ['GET', 'HEAD'] : [route.method];
}
