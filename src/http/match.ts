import { ApiError, ROUTES, type Route } from '../api/index.js';

/** The meaning of a path. */
export interface Target {
  /** One per method of the path. */
  readonly routes: readonly Route[];
  /** The model of a path below `/m/<model>`; null elsewhere. */
  readonly model: string | null;
  /** The value of `{id}`, `{name}` or `{file}`; null if the path has none. */
  readonly id: string | null;
}

const MODEL_PATH = /^\/m\/([^/]+)(\/.*)$/;

/** The routes of every path, and the pattern of the path. */
const PATHS = [...new Set(ROUTES.map(({ path }) => path))].map((path) => ({
  routes: ROUTES.filter((route) => route.path === path),
  pattern: new RegExp(`^${path.replace(/\{\w+\}/, '([^/]+)').replaceAll('.', '\\.')}$`),
}));

/** Matches the path of a target. Nothing is decoded or normalised; the query is left to the route. */
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
 * The route of a path for a method; `HEAD` follows `GET`. `OPTIONS` is refused like any unsupported method, with the
 * path's methods in `Allow`, unless it is a preflight of an origin that is listed (`cross-origin.ts`).
 */
export function chooseRoute({ routes }: Target, method: string): Route {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const found = routes.find((route) => route.method === wanted);
  if (found !== undefined) return found;
  const allow = routes.flatMap((route) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
  throw new ApiError('method_not_allowed', `${routes[0]?.path} accepts only ${allow.join(' and ')}.`, {
    allow,
  });
}
