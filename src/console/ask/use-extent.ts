import { useEffect, useState } from 'preact/hooks';
import { type Extent, extentOfJson, extentOfText } from '../json/extent.js';

/** How long typing must pause before a state is measured, in milliseconds. */
const PAUSE_MS = 150;
const EMPTY: Extent = { characters: 0, more: false, end: null, problem: null };

/** How much of a state the model reads, measured in pauses of typing. */
export function useExtent(kind: 'text' | 'json', state: string): Extent {
  const [extent, setExtent] = useState(EMPTY);
  useEffect(() => {
    const timer = setTimeout(() => {
      setExtent(kind === 'json' ? extentOfJson(state) : extentOfText(state));
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [kind, state]);
  return extent;
}
