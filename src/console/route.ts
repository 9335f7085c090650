import { useFragment } from './ui/use-fragment.js';

/** The views, with their titles. */
export const VIEWS = [
  ['ask', 'Ask'],
  ['tasks', 'Tasks'],
  ['batches', 'Batches'],
  ['usage', 'Usage'],
] as const;
export type View = (typeof VIEWS)[number][0];

/** What the fragment of the address says: the view, and what it shows. */
export interface Route {
  readonly view: View;
  /** The part behind the view, such as the id of a batch or the name of a task; null if there is none. */
  readonly item: string | null;
  /** The request of a shared link; null if there is none. */
  readonly shared: string | null;
}

/** Reads a fragment such as `#/batches/batch_…` or `#/ask?r=…`. */
function readRoute(fragment: string): Route {
  const [path = '', query = ''] = fragment.replace(/^#\/?/, '').split('?', 2);
  const [name, item = ''] = path.split('/');
  const view = VIEWS.find(([each]) => each === name)?.[0] ?? 'ask';
  return { view, item: item === '' ? null : item, shared: new URLSearchParams(query).get('r') };
}

export const useRoute = (): Route => useFragment(readRoute);
