import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Batch, Limits, BatchList as Page } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';
import { CallError } from '../api/error.js';
import type { ReadLimits } from '../api/read-limits.js';
import { useRenewal } from '../api/use-renewal.js';
import { ErrorNote } from '../ui/error-note.js';
import type { Source } from '../ui/sourced.js';
import { useShown } from '../ui/use-shown.js';
import { BatchList } from './batch-list.js';
import { BatchPanel } from './batch-panel.js';
import { type BegunList, type ListedBatches, listBatches } from './list-batches.js';
import { SubmitPanel } from './submit-panel.js';
import { isMoving } from './use-batch.js';

/** How long until the list is read again: while a batch in it can change, and after a temporary error. */
const LIST_MS = 15_000;

interface BatchesViewProps {
  readonly api: Api;
  readonly limits: Limits;
  readonly onLimits: (limits: ReadLimits) => void;
  /** The id of the batch to show; null for none. */
  readonly id: string | null;
  /** Whether the view is visible: only then are batches polled. */
  readonly active: boolean;
}

/** The batches of the key, one of them in detail, and a form for a new one. */
export function BatchesView({ api, limits, onLimits, id, active }: BatchesViewProps) {
  const [list, setList] = useState<ListedBatches | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [source, setSource] = useState<Source>({ at: null, stale: 'no' });
  const [loads, setLoads] = useState(0);
  const renewLimits = useRenewal(api, onLimits);
  const begun = useRef<BegunList | null>(null);
  // What was read before the view was left may have changed.
  useEffect(
    () => () => {
      begun.current = null;
    },
    [active],
  );
  const reload = () => setLoads((before) => before + 1);
  const shown = useShown(active);
  useEffect(() => {
    if (!active) return;
    setSource((old) => ({ ...old, stale: 'renewing' }));
    const control = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (read: ListedBatches) => {
      if (control.signal.aborted) return;
      setError(null);
      setList(read);
      setSource({ at: Date.now(), stale: 'no' });
      if (read.batches.some(isMoving)) timer = setTimeout(reload, LIST_MS);
    };
    const fail = (thrown: unknown) => {
      if (control.signal.aborted) return;
      setError(thrown);
      setSource((old) => ({ ...old, stale: 'old' }));
      if (!(thrown instanceof CallError && thrown.isTemporary)) return;
      timer = setTimeout(reload, Math.max(LIST_MS, (thrown.retryAfterSeconds ?? 0) * 1_000));
    };
    const readPage = async (query: string) =>
      (await api.json<Page>(`v1/batches?${query}`, { signal: control.signal })).body;
    const from = begun.current ?? { batches: [], skipped: list?.skipped ?? null };
    begun.current = null;
    listBatches(readPage, from, (stopped) => {
      if (!control.signal.aborted) begun.current = stopped;
    }).then(show, fail);
    return () => {
      control.abort();
      clearTimeout(timer);
    };
  }, [api, active, loads, id]);
  const update = (batch: Batch) =>
    setList(
      (old) => old && { ...old, batches: old.batches.map((each) => (each.id === batch.id ? batch : each)) },
    );
  const known = useMemo(() => new Set(list?.batches.map((each) => each.id)), [list]);
  return (
    <div class="columns">
      <h1 class="hidden">Batches</h1>
      <div class="column">
        <SubmitPanel
          api={api}
          limits={limits}
          known={known}
          onFile={renewLimits}
          onSubmitted={(batch) => {
            // The user may have gone on to another view meanwhile.
            if (shown.current) location.hash = `/batches/${batch.id}`;
            else reload();
          }}
        />
        {error !== null && <Failed error={error} retry={reload} />}
        {list !== null && (
          <BatchList batches={list.batches} more={list.skipped !== null} shown={id} source={source} />
        )}
      </div>
      <div class="column">
        {id === null ? (
          <section class="panel">
            <p class="empty">Choose a batch to see its progress and its results.</p>
          </section>
        ) : (
          <BatchPanel
            key={id}
            api={api}
            limits={limits}
            id={id}
            active={active}
            onSeen={update}
            onResults={renewLimits}
          />
        )}
      </div>
    </div>
  );
}

const Failed = ({ error, retry }: { readonly error: unknown; readonly retry: () => void }) => (
  <section class="panel">
    <ErrorNote error={error} />
    <button type="button" onClick={retry}>
      Try again
    </button>
  </section>
);
