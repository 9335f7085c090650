import { useEffect } from 'preact/hooks';

/** Lets the browser ask before the page is left or loaded again, while `on`: something would be lost. */
export function useLeaveWarning(on: boolean): void {
  useEffect(() => {
    if (!on) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [on]);
}
