import { useCallback, useEffect, useState } from 'preact/hooks';

/** What was loaded last. */
export interface Loaded<Value> {
  /** Null: nothing has been loaded yet. */
  readonly value: Value | null;
  /** Why the last load failed; null if it did not. */
  readonly error: unknown;
  readonly reload: () => void;
}

/**
 * Loads while `active`: when that begins, after each change of `inputs`, and at each `reload`. A value is shown until the
 * next one has arrived.
 */
export function useLoad<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  active: boolean,
  inputs: readonly unknown[] = [],
): Loaded<Value> {
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>({ value: null, error: null });
  const [loads, setLoads] = useState(0);
  const reload = useCallback(() => setLoads((before) => before + 1), []);
  useEffect(() => {
    if (!active) return;
    const control = new AbortController();
    load(control.signal).then(
      (value) => {
        if (!control.signal.aborted) setState({ value, error: null });
      },
      (error) => {
        if (!control.signal.aborted) setState((old) => ({ ...old, error }));
      },
    );
    return () => control.abort();
  }, [active, loads, ...inputs]);
  return { ...state, reload };
}
