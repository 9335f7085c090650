import { useEffect, useState } from 'preact/hooks';
import type { Api } from '../api/call.js';
import type { Batch, Limits } from '../api/types.js';
import { ErrorNote } from '../ui/error-note.js';
import { BatchList } from './batch-list.js';
import { BatchPanel } from './batch-panel.js';
import { listBatches } from './list-batches.js';
import { SubmitPanel } from './submit-panel.js';

interface BatchesViewProps {
  readonly api: Api;
  readonly limits: Limits;
  /** The id of the batch to show; null for none. */
  readonly id: string | null;
  /** Whether the view is visible: only then are batches looked at. */
  readonly active: boolean;
}

/** The batches of the key, one of them in detail, and a form for a new one. */
export function BatchesView({ api, limits, id, active }: BatchesViewProps) {
  const [list, setList] = useState<{ batches: Batch[]; more: boolean } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [loads, setLoads] = useState(0);
  useEffect(() => {
    if (!active) return;
    const control = new AbortController();
    setError(null);
    listBatches(api, control.signal).then(setList, (thrown) => {
      if (!control.signal.aborted) setError(thrown);
    });
    return () => control.abort();
  }, [api, active, loads]);
  const update = (batch: Batch) =>
    setList(
      (old) => old && { ...old, batches: old.batches.map((each) => (each.id === batch.id ? batch : each)) },
    );
  return (
    <div class="columns">
      <h1 class="hidden">Batches</h1>
      <div class="column">
        <SubmitPanel
          api={api}
          limits={limits}
          onSubmitted={(batch) => {
            setLoads((before) => before + 1);
            location.hash = `/batches/${batch.id}`;
          }}
        />
        {error !== null && <Failed error={error} retry={() => setLoads((before) => before + 1)} />}
        {list !== null && <BatchList batches={list.batches} more={list.more} shown={id} />}
      </div>
      <div class="column">
        {id === null ? (
          <section class="panel">
            <p class="empty">Choose a batch to see its progress and its results.</p>
          </section>
        ) : (
          <BatchPanel key={id} api={api} limits={limits} id={id} active={active} onSeen={update} />
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
