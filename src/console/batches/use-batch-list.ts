import { useEffect, useRef, useState } from 'preact/hooks';
import type { Batch, BatchList as Page } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';
import { CallError } from '../api/error.js';
import type { Source } from '../ui/sourced.js';
import { visibleTimer } from '../ui/visible-timer.js';
import { type BegunList, type ListedBatches, listBatches, settledPart } from './list-batches.js';
import { isMoving } from './use-batch.js';

/** How long until the list is read again: while a batch in it can change, and after a temporary error. */
const LIST_MS = 15_000;

interface BatchListState {
  /** Null: it was not read yet. */
  readonly list: ListedBatches | null;
  /** Why the last read failed; null if it did not. */
  readonly error: unknown;
  readonly source: Source;
  /** Reads again what can have changed. */
  readonly reload: () => void;
  /** Shows a batch as it was seen elsewhere. */
  readonly update: (batch: Batch) => void;
}

/**
 * The newest batches of the key. All are read whenever `active` begins; after that, only those that can change and newer
 * ones: a long list is many requests of the key. `id`: a change reads again.
 */
export function useBatchList(api: Api, active: boolean, id: string | null): BatchListState {
  const [list, setList] = useState<ListedBatches | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [source, setSource] = useState<Source>({ at: null, stale: 'no' });
  const [loads, setLoads] = useState(0);
  const begun = useRef<BegunList | null>(null);
  const isNew = useRef(true);
  // What was read before the view was left may have changed, or be deleted.
  useEffect(
    () => () => {
      begun.current = null;
      isNew.current = true;
    },
    [api, active],
  );
  const reload = () => setLoads((before) => before + 1);
  useEffect(() => {
    if (!active) return;
    setSource((old) => ({ ...old, stale: 'renewing' }));
    const control = new AbortController();
    let stopTimer = () => {};
    const show = (read: ListedBatches) => {
      if (control.signal.aborted) return;
      isNew.current = false;
      setError(null);
      setList(read);
      setSource({ at: Date.now(), stale: 'no' });
      if (read.batches.some(isMoving)) stopTimer = visibleTimer(reload, LIST_MS);
    };
    const fail = (thrown: unknown) => {
      if (control.signal.aborted) return;
      setError(thrown);
      setSource((old) => ({ ...old, stale: 'old' }));
      if (!(thrown instanceof CallError && thrown.isTemporary)) return;
      stopTimer = visibleTimer(reload, Math.max(LIST_MS, (thrown.retryAfterSeconds ?? 0) * 1_000));
    };
    const readPage = async (query: string) =>
      (await api.json<Page>(`v1/batches?${query}`, { signal: control.signal })).body;
    const known =
      list === null || isNew.current
        ? { batches: [], skipped: list?.skipped ?? null }
        : settledPart(list, isMoving);
    const from = begun.current ?? known;
    begun.current = null;
    listBatches(readPage, from, (stopped) => {
      if (!control.signal.aborted) begun.current = stopped;
    }).then(show, fail);
    return () => {
      control.abort();
      stopTimer();
    };
  }, [api, active, loads, id]);
  const update = (batch: Batch) =>
    setList(
      (old) => old && { ...old, batches: old.batches.map((each) => (each.id === batch.id ? batch : each)) },
    );
  return { list, error, source, reload, update };
}
