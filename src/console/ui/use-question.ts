import { type StateUpdater, useEffect, useState } from 'preact/hooks';

/**
 * Whether a modal question is open. It is closed when its view is left: one that stays open would make the other views
 * inert.
 */
export function useQuestion(
  active: boolean,
): readonly [asking: boolean, set: (next: StateUpdater<boolean>) => void] {
  const [asking, setAsking] = useState(false);
  useEffect(() => {
    if (!active) setAsking(false);
  }, [active]);
  return [asking, setAsking];
}
