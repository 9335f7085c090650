import { ApiError, ROUTES, type Route } from '../api/index.js';

/** What a path asks for. */
export interface Target {
  /** One for every method of the path. */
  readonly routes: readonly Route[];
  /** The model of a path below `/m/<model>`; null elsewhere. */
  readonly model: string | null;
  /** What stands at `{id}`; null where the path has none. */
  readonly id: string | null;
}

const MODEL_PATH = /^\/m\/([^/]+)(\/.*)$/;

/** The routes of every path, and what a target's path must be to be that one. */
const PATHS = [...new Set(ROUTES.map(({ path }) => path))].map((path) => ({
  routes: ROUTES.filter((route) => route.path === path),
  pattern: new RegExp(`^${path.replace('{id}', '([^/]+)').replaceAll('.', '\\.')}$`),
}));

/** What a target's path asks for; nothing of it is decoded or normalised, and the query is the route's affair. */
export function readTarget(target: string): Target | undefined {
  const path = target.split('?', 1)[0] as string;
  const [, model = null, rest = path] = MODEL_PATH.exec(path) ?? [];
  for (const { routes, pattern } of PATHS) {
    const match = pattern.exec(rest);
    if (match === null || (model !== null && !routes.some(({ ofModel }) => ofModel))) continue;
    return { routes, model, id: match[1] ?? null };
  }
  return undefined;
}

/**
 * The route of a path for a method; `HEAD` goes wherever `GET` does. `OPTIONS` is refused like any other that the path
 * has not, with its methods in `Allow`: the service answers no browsers of other origins, so there is no preflight to
 * satisfy.
 */
export function chooseRoute({ routes }: Target, method: string): Route {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const found = routes.find((route) => route.method === wanted);
  if (found !== undefined) return found;
  const allow = routes.flatMap((route) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
  throw new ApiError('method_not_allowed', `${routes[0]?.path} takes ${allow.join(' or ')}.`, { allow });
}
