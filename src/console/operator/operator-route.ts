import { useFragment } from '../ui/use-fragment.js';

/** The views, with their titles. */
export const VIEWS = [
  ['overview', 'Overview'],
  ['workspaces', 'Workspaces'],
  ['keys', 'Keys'],
  ['models', 'Models'],
  ['batches', 'Batches'],
  ['errors', 'Errors'],
  ['audit', 'Audit log'],
] as const;

interface Route {
  readonly view: (typeof VIEWS)[number][0];
  /** The id of a workspace behind the view; null if there is none. */
  readonly workspace: string | null;
}

/** Reads a fragment such as `#/keys/acme`. */
function readRoute(fragment: string): Route {
  const [name, item = ''] = fragment.replace(/^#\/?/, '').split('/');
  const view = VIEWS.find(([each]) => each === name)?.[0] ?? 'overview';
  return { view, workspace: item === '' ? null : item };
}

export const useRoute = (): Route => useFragment(readRoute);
