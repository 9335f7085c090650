import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Source } from './sourced.js';

/** What was loaded last. */
export interface Loaded<Value> extends Source {
  /** Null: nothing has been loaded yet. */
  readonly value: Value | null;
  /** Why the last load failed; null if it did not. */
  readonly error: unknown;
  /** Loads again. What is shown is stale until then. */
  readonly reload: () => void;
}

type State<Value> = Omit<Loaded<Value>, 'reload'>;

/**
 * Loads while `active`: when that begins, after each change of `inputs`, and at each `reload`. A value is shown until the
 * next one has arrived.
 */
export function useLoad<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  active: boolean,
  inputs: readonly unknown[] = [],
): Loaded<Value> {
  const [state, setState] = useState<State<Value>>({ value: null, error: null, at: null, stale: 'no' });
  const [loads, setLoads] = useState(0);
  const reload = useCallback(() => setLoads((before) => before + 1), []);
  useEffect(() => {
    if (!active) return;
    setState((old) => ({ ...old, stale: 'renewing' }));
    const control = new AbortController();
    load(control.signal).then(
      (value) => {
        if (!control.signal.aborted) setState({ value, error: null, at: Date.now(), stale: 'no' });
      },
      (error) => {
        if (!control.signal.aborted) setState((old) => ({ ...old, error, stale: 'old' }));
      },
    );
    return () => control.abort();
  }, [active, loads, ...inputs]);
  return { ...state, reload };
}
