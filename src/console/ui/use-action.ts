import { useState } from 'preact/hooks';

/** A call that the user starts, and how the last one ended. */
export interface Action {
  readonly busy: boolean;
  /** Why the last run failed; null if it did not. */
  readonly error: unknown;
  /** What the last run did, as a sentence; empty if it failed. */
  readonly done: string;
  /** Runs `work`, which resolves with what it did. Ignored while a run is in progress. */
  readonly run: (work: () => Promise<string>) => void;
}

export function useAction(): Action {
  const [state, setState] = useState<Omit<Action, 'run'>>({ busy: false, error: null, done: '' });
  const run = (work: () => Promise<string>) => {
    if (state.busy) return;
    setState({ busy: true, error: null, done: '' });
    work().then(
      (done) => setState({ busy: false, error: null, done }),
      (error) => setState({ busy: false, error, done: '' }),
    );
  };
  return { ...state, run };
}
