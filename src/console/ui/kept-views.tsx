import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { focusMain } from './frame.js';

interface KeptViewsProps<View extends string> {
  /** The view that is shown. */
  readonly view: View;
  readonly views: Readonly<Record<View, (active: boolean) => ComponentChildren>>;
}

/** Shows one of several views. Views that were left keep what they hold. */
export function KeptViews<View extends string>({ view, views }: KeptViewsProps<View>) {
  const [visited, setVisited] = useState<readonly View[]>([view]);
  // The form that had the focus has gone.
  useEffect(focusMain, []);
  useEffect(() => setVisited((old) => (old.includes(view) ? old : [...old, view])), [view]);
  return (
    <>
      {visited.map((name) => (
        <div key={name} hidden={name !== view}>
          {views[name](name === view)}
        </div>
      ))}
    </>
  );
}
