import { useEffect, useState } from 'preact/hooks';
import { BATCH_STATES, type OperatorBatch } from '../../api/index.js';
import { DataTable } from '../ui/data-table.js';
import { time, whole } from '../ui/format-values.js';
import { LoadNote } from '../ui/loading.js';
import { Renew, Sourced } from '../ui/sourced.js';
import { useLoad } from '../ui/use-load.js';
import type { OperatorApi } from './operator-api.js';
import { WorkspaceSelect } from './workspace-select.js';

interface BatchesViewProps {
  readonly api: OperatorApi;
  /** Only the batches of this workspace; null: of all. */
  readonly workspace: string | null;
  readonly active: boolean;
}

/** How long until the list is read again while a batch in it can change, in milliseconds. */
const RELOAD_MS = 5_000;

const isOpen = ({ finished }: OperatorBatch): boolean => finished === null;

/** The newest batches of all keys, without their contents. */
export function BatchesView({ api, workspace, active }: BatchesViewProps) {
  const [state, setState] = useState('');
  const { value, error, reload, ...source } = useLoad(
    async (signal) => {
      const query = { ...(workspace !== null && { workspace }), ...(state !== '' && { state }) };
      const [list, { workspaces }] = await Promise.all([
        api.call('listBatches', { query, signal }),
        api.call('listWorkspaces', { query: { sort: 'id', limit: '1000' }, signal }),
      ]);
      return { ...list, workspaces: workspaces.map(({ id }) => id) };
    },
    active,
    [api, workspace, state],
  );
  useEffect(() => {
    if (!active || !value?.batches.some(isOpen)) return;
    const timer = setTimeout(reload, RELOAD_MS);
    return () => clearTimeout(timer);
  }, [active, value]);
  return (
    <section class="panel" aria-labelledby="batches-title">
      <h1 class="hidden">Batches</h1>
      <div class="bar">
        <h2 id="batches-title">Batches</h2>
        <WorkspaceSelect view="batches" workspaces={value?.workspaces ?? []} workspace={workspace} />
        <label class="inline">
          State
          <select value={state} onChange={({ currentTarget }) => setState(currentTarget.value)}>
            <option value="">all</option>
            {BATCH_STATES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <Renew source={source} reload={reload} />
      </div>
      <LoadNote value={value} error={error} />
      {value?.batches.length === 0 && (
        <p class="empty">
          {state === '' && workspace === null
            ? 'There are no batches. Callers submit them with POST /v1/batches, or in their console.'
            : 'No batch matches. Choose another state or workspace.'}
        </p>
      )}
      {value !== null && value.batches.length > 0 && (
        <Sourced source={source}>
          <List batches={value.batches} />
        </Sourced>
      )}
      {value?.more && <p class="muted">Only the newest {value.batches.length} are shown.</p>}
    </section>
  );
}

const CLASSES: Partial<Record<OperatorBatch['state'], string>> = {
  running: 'badge running',
  done: 'badge done',
  failed: 'badge failed',
};

const List = ({ batches }: { readonly batches: readonly OperatorBatch[] }) => (
  <DataTable
    label="Table of batches"
    rows={batches}
    keyOf={({ id }) => id}
    columns={[
      { title: 'Batch', cell: ({ id }) => <code>{id}</code> },
      {
        title: 'Workspace',
        cell: ({ workspace }) => <a href={`#/workspaces/${workspace}`}>{workspace}</a>,
      },
      { title: 'Key', cell: ({ key }) => <code>{key}</code> },
      { title: 'State', cell: ({ state }) => <span class={CLASSES[state] ?? 'badge'}>{state}</span> },
      {
        title: 'Answered',
        number: true,
        cell: ({ done, lines }) => `${whole(done)} of ${whole(lines)}`,
      },
      { title: 'Failed', number: true, cell: ({ failed }) => whole(failed) },
      { title: 'Models', cell: ({ models }) => models.join(', ') },
      { title: 'Submitted', cell: ({ created }) => time(created) },
      {
        title: 'Finished',
        cell: ({ finished, expires }) => (finished === null ? `by ${time(expires)}` : time(finished)),
      },
    ]}
  />
);
