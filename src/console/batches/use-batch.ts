import { useEffect, useState } from 'preact/hooks';
import type { Batch } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';
import { CallError } from '../api/error.js';
import type { Source } from '../ui/sourced.js';
import { visibleTimer } from '../ui/visible-timer.js';
import { nextWait } from './poll.js';

/** A batch as it was last seen. */
interface Watched {
  readonly batch: Batch | null;
  readonly error: unknown;
  /** The milliseconds until the next look, if the last one failed and there will be another. */
  readonly retryMs: number | null;
  readonly source: Source;
}

export const isOpen = ({ status }: Pick<Batch, 'status'>): boolean =>
  status === 'queued' || status === 'running';

/** Whether a batch can still change: a cancelled one until its lines in progress are back. */
export const isMoving = (batch: Batch): boolean =>
  isOpen(batch) || !(batch.results_available || batch.finished_at !== null);

/** Polls a batch until it has finished, while the tab is visible. `changes`: polls at once when it changes. */
export function useBatch(api: Api, id: string, active: boolean, changes: number): Watched {
  const [watched, setWatched] = useState<Watched>({
    batch: null,
    error: null,
    retryMs: null,
    source: { at: null, stale: 'no' },
  });
  useEffect(() => {
    if (!active) return;
    setWatched((old) => ({ ...old, source: { ...old.source, stale: 'renewing' } }));
    const control = new AbortController();
    let stopTimer = () => {};
    let wait = 0;
    let last = '';
    const again = (ms: number) => {
      wait = ms;
      stopTimer = visibleTimer(look, ms);
    };
    const look = async () => {
      try {
        const { body } = await api.json<Batch>(`v1/batches/${encodeURIComponent(id)}`, {
          signal: control.signal,
        });
        const seen = JSON.stringify(body.counts) + body.status;
        const changed = seen !== last;
        last = seen;
        setWatched({ batch: body, error: null, retryMs: null, source: { at: Date.now(), stale: 'no' } });
        if (isMoving(body)) again(nextWait(wait, changed ? 'changed' : 'unchanged', null));
      } catch (error) {
        if (control.signal.aborted) return;
        const temporary = error instanceof CallError && error.isTemporary ? error : null;
        const ms = temporary && nextWait(wait, 'failed', temporary.retryAfterSeconds);
        setWatched((old) => ({ ...old, error, retryMs: ms, source: { ...old.source, stale: 'old' } }));
        if (ms !== null) again(ms);
      }
    };
    look();
    return () => {
      control.abort();
      stopTimer();
    };
  }, [api, id, active, changes]);
  return watched;
}
