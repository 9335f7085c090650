import { OPERATOR_API, OPERATOR_ROUTES } from '../../api/index.js';
import { Refusal } from './refusal.js';

const ROUTES = [...OPERATOR_ROUTES, ...OPERATOR_API];
export type OperatorRoute = (typeof ROUTES)[number];

/** What a request is for. */
interface Target {
  readonly route: OperatorRoute;
  /** The value of `{id}`, decoded; '' if the path has none. */
  readonly id: string;
  readonly query: URLSearchParams;
}

/** Characters of `{id}`, decoded: more than any id has. */
export const PATH_ID_CHARACTERS_MAX = 128;

/** The paths, each with its pattern and its routes. */
const PATHS = [...new Set(ROUTES.map(({ path }) => path))].map((path) => ({
  pattern: new RegExp(`^${path.replace('{id}', '([^/]+)')}$`),
  routes: ROUTES.filter((route) => route.path === path),
}));

/** The path of a request's target, as sent. */
export const pathOf = (target: string): string => target.split('?', 1)[0] as string;

/** Finds the route of a request; `HEAD` follows `GET`. Throws Refusal. */
export function readTarget(method: string, target: string): Target {
  const path = pathOf(target);
  for (const { pattern, routes } of PATHS) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const wanted = method === 'HEAD' ? 'GET' : method;
    const route = routes.find((each) => each.method === wanted);
    if (route === undefined) throw notAllowed(routes.map((each) => each.method));
    return {
      route,
      id: match[1] === undefined ? '' : decodeId(match[1]),
      query: new URLSearchParams(target.slice(path.length + 1)),
    };
  }
  throw new Refusal('not_found', 'There is no such path.');
}

/** The refusal of a method; `methods` are those of the path. */
export function notAllowed(methods: readonly string[]): Refusal {
  const allow = methods.flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each])).join(', ');
  return new Refusal('method_not_allowed', `The path supports ${allow}.`, null, { Allow: allow });
}

function decodeId(text: string): string {
  const id = decode(text);
  if (id !== null && id.length <= PATH_ID_CHARACTERS_MAX) return id;
  const problem =
    id === null ? 'is not percent-encoded UTF-8' : `has more than ${PATH_ID_CHARACTERS_MAX} characters`;
  throw new Refusal('invalid_request', `The id in the path ${problem}.`, 'id');
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
