import { useEffect, useRef, useState } from 'preact/hooks';
import type { Api } from '../api/call-api.js';
import { askOften, askOnce, type Outcome } from './ask.js';
import type { Draft } from './ask-draft.js';
import type { BuiltRequest } from './request.js';
import { SPREAD_ASKS } from './spread.js';
import { type WrongField, wrongFieldOf } from './wrong-field.js';

/** Answers, with the draft that was asked and when they arrived, in milliseconds since 1970. */
export interface Answered {
  readonly outcome: Outcome;
  readonly draft: Draft;
  readonly at: number;
}

/** Why a draft was not answered, and the field that is to be corrected; null if none is known. */
export interface AskFailure {
  readonly error: unknown;
  readonly draft: Draft | null;
  readonly field: WrongField | null;
}

/** Asking the request of a draft, and how it ended. */
export interface Asking {
  readonly answered: Answered | null;
  readonly failure: AskFailure | null;
  /** What is in progress, for people; null if nothing is. */
  readonly progress: string | null;
  /** Asks once, or often. Ignored while another run is in progress. */
  readonly run: (often: boolean) => void;
  readonly stop: () => void;
  readonly fail: (error: unknown) => void;
  /** Shows earlier answers, or none, in place of the last ones. */
  readonly show: (answered: Answered | null) => void;
}

/**
 * @param build the request of a draft; throws NotReady
 * @param onAnswered called with the answers to a request
 */
export function useAsking(
  api: Api,
  draft: Draft,
  build: (draft: Draft) => BuiltRequest,
  onAnswered: (answered: Answered) => void,
): Asking {
  const [answered, setAnswered] = useState<Answered | null>(null);
  const [failure, setFailure] = useState<AskFailure | null>(null);
  const [progress, setProgress] = useState<string | null>(null);
  const asking = useRef<AbortController | null>(null);
  useEffect(() => () => asking.current?.abort(), []);
  const run = async (often: boolean) => {
    const control = new AbortController();
    asking.current = control;
    setFailure(null);
    setProgress(often ? `Asking, 0 of ${SPREAD_ASKS}` : 'Asking');
    try {
      const request = build(draft);
      const onDone = (done: number) => setProgress(`Asking, ${done} of ${SPREAD_ASKS}`);
      const { signal } = control;
      const outcome = await (often ? askOften(api, request, signal, onDone) : askOnce(api, request, signal));
      const next = { outcome, draft, at: Date.now() };
      setAnswered(next);
      onAnswered(next);
    } catch (error) {
      if (control.signal.aborted) return;
      setFailure({ error, draft, field: wrongFieldOf(error, draft) });
      setAnswered(null);
      control.abort();
    } finally {
      setProgress(null);
    }
  };
  return {
    answered,
    failure,
    progress,
    run(often) {
      if (progress === null) run(often);
    },
    stop: () => asking.current?.abort(),
    fail: (error) => setFailure({ error, draft: null, field: null }),
    show(earlier) {
      setAnswered(earlier);
      setFailure(null);
    },
  };
}
