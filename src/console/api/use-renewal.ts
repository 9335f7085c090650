import { useEffect, useRef } from 'preact/hooks';
import type { Api } from './call-api.js';
import { type ReadLimits, readLimits } from './read-limits.js';

/**
 * A function that reads the limits of the key anew, for what depends on models and prices of now. If they cannot be read,
 * the last ones stay.
 */
export function useRenewal(api: Api, onLimits: (limits: ReadLimits) => void): () => void {
  const reading = useRef<AbortController | null>(null);
  // The limits of a key must not arrive after it was forgotten.
  useEffect(() => () => reading.current?.abort(), [api]);
  return () => {
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
