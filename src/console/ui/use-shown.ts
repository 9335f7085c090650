import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Whether the view is shown at the moment, for a call that goes to another address when it ends: the user may have opened
 * another view meanwhile, or have forgotten the key.
 */
export function useShown(active: boolean): { readonly current: boolean } {
  const shown = useRef(active);
  shown.current = active;
  useLayoutEffect(
    () => () => {
      shown.current = false;
    },
    [],
  );
  return shown;
}
