import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Api } from './call-api.js';
import { type ReadLimits, readLimits } from './read-limits.js';

/**
 * A function that reads the limits of the key anew, for what depends on models and prices of now. If they cannot be read,
 * the last ones stay. Once the key is forgotten, it does nothing: a download may end after that.
 */
export function useRenewal(api: Api, onLimits: (limits: ReadLimits) => void): () => void {
  const reading = useRef<AbortController | null>(null);
  const ended = useMemo(() => new AbortController(), [api]);
  // The limits of a key must not arrive after it was forgotten.
  useLayoutEffect(
    () => () => {
      ended.abort();
      reading.current?.abort();
    },
    [ended],
  );
  return () => {
    if (ended.signal.aborted) return;
    reading.current?.abort();
    const control = new AbortController();
    reading.current = control;
    const { signal } = control;
    readLimits(api, signal).then(
      (read) => {
        if (!signal.aborted) onLimits(read);
      },
      () => {},
    );
  };
}
