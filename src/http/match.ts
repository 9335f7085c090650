import { ApiError, ROUTES, type Route } from '../api/index.js';

/** What a path asks for. */
export interface Target {
  readonly route: Route;
  /** The model of a path below `/m/<model>`; null elsewhere. */
  readonly model: string | null;
}

const MODEL_PATH = /^\/m\/([^/]+)(\/.*)$/;

/** What a target's path asks for; the query is ignored, and nothing is decoded or normalised. */
export function readTarget(target: string): Target | undefined {
  const path = target.split('?', 1)[0] as string;
  const [, model = null, rest = path] = MODEL_PATH.exec(path) ?? [];
  const route = ROUTES.find((each) => each.path === rest && (model === null || each.ofModel));
  return route && { route, model };
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
