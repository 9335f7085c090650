import { type StateUpdater, useEffect, useRef, useState } from 'preact/hooks';

/**
 * What a modal question is about; `none`: no question is open. It is closed when its view is left, and not opened
 * elsewhere: one that is open would make the other views inert.
 */
export function useQuestion<About>(
  active: boolean,
  none: About,
): readonly [about: About, set: (next: StateUpdater<About>) => void] {
  const [about, setAbout] = useState(none);
  const isVisible = useRef(active);
  isVisible.current = active;
  useEffect(() => {
    if (!active) setAbout(none);
  }, [active]);
  const set = (next: StateUpdater<About>) => {
    if (isVisible.current) setAbout(next);
  };
  return [active ? about : none, set];
}
