import { useLayoutEffect } from 'preact/hooks';

/** Lets the browser ask before the page is left or loaded again, while `on`: something would be lost. */
export function useLeaveWarning(on: boolean): void {
  // Before the page is painted: what is shown can be lost from then on.
  useLayoutEffect(() => {
    if (!on) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [on]);
}
