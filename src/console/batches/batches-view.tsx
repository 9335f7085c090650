import { useMemo } from 'preact/hooks';
import type { Api } from '../api/call-api.js';
import type { ReadLimits } from '../api/read-limits.js';
import { useRenewal } from '../api/use-renewal.js';
import { ErrorNote } from '../ui/error-note.js';
import { useShown } from '../ui/use-shown.js';
import { BatchList } from './batch-list.js';
import { BatchPanel } from './batch-panel.js';
import { SubmitPanel } from './submit-panel.js';
import { useBatchList } from './use-batch-list.js';

interface BatchesViewProps {
  readonly api: Api;
  readonly limits: ReadLimits;
  readonly onLimits: (limits: ReadLimits) => void;
  /** The id of the batch to show; null for none. */
  readonly id: string | null;
  /** Whether the view is visible: only then are batches polled. */
  readonly active: boolean;
}

/** The batches of the key, one of them in detail, and a form for a new one. */
export function BatchesView({ api, limits, onLimits, id, active }: BatchesViewProps) {
  const { list, error, source, reload, update } = useBatchList(api, active, id);
  const renewLimits = useRenewal(api, onLimits);
  const shown = useShown(active);
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
        {list === null && error === null && <Reading />}
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

/** A key with many batches has a long list. */
const Reading = () => (
  <section class="panel">
    <p class="muted">The list of batches is read…</p>
  </section>
);
