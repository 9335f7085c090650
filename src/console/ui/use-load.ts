import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Source } from './sourced.js';

/** What was loaded last. */
export interface Loaded<Value> extends Source {
  /** Null: nothing has been loaded yet. */
  readonly value: Value | null;
  /** Whether the value was loaded with the inputs of now, not with those before their last change. */
  readonly isCurrent: boolean;
  /** Why the last load failed; null if it did not. */
  readonly error: unknown;
  /** Loads again. What is shown is stale until then. */
  readonly reload: () => void;
  /**
   * Changes the value by what a call has returned, and loads again. A load that is in progress, which may have been
   * answered before the call, is abandoned.
   */
  readonly replace: (change: (value: Value) => Value) => void;
}

type State<Value> = Omit<Loaded<Value>, 'reload' | 'replace' | 'isCurrent'> & {
  /** Of the value. */
  readonly inputs: readonly unknown[];
};

const FIRST = { value: null, error: null, at: null, stale: 'no', inputs: [] } as const;

/**
 * Loads while `active`: when that begins, after each change of `inputs`, and at each `reload`. A value is shown until the
 * next one has arrived.
 */
export function useLoad<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  active: boolean,
  inputs: readonly unknown[] = [],
): Loaded<Value> {
  const [state, setState] = useState<State<Value>>(FIRST);
  const [loads, setLoads] = useState(0);
  const reload = useCallback(() => setLoads((before) => before + 1), []);
  const current = useRef<AbortController | null>(null);
  const replace = useCallback((change: (value: Value) => Value) => {
    current.current?.abort();
    setState((old) => (old.value === null ? old : { ...old, value: change(old.value) }));
    reload();
  }, []);
  useEffect(() => {
    if (!active) return;
    setState((old) => ({ ...old, stale: 'renewing' }));
    const control = new AbortController();
    current.current = control;
    load(control.signal).then(
      (value) => {
        if (!control.signal.aborted) setState({ value, error: null, at: Date.now(), stale: 'no', inputs });
      },
      (error) => {
        if (!control.signal.aborted) setState((old) => ({ ...old, error, stale: 'old' }));
      },
    );
    return () => control.abort();
  }, [active, loads, ...inputs]);
  const { inputs: loaded, ...shown } = state;
  const isCurrent = shown.value !== null && inputs.every((each, at) => each === loaded[at]);
  return { ...shown, isCurrent, reload, replace };
}
