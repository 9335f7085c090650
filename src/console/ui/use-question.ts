import { type StateUpdater, useEffect, useState } from 'preact/hooks';

/**
 * What a modal question is about; `none`: no question is open. It is closed when its view is left: one that stays open
 * would make the other views inert.
 */
export function useQuestion<About>(
  active: boolean,
  none: About,
): readonly [about: About, set: (next: StateUpdater<About>) => void] {
  const [about, setAbout] = useState(none);
  useEffect(() => {
    if (!active) setAbout(none);
  }, [active]);
  return [about, setAbout];
}
