import { useState } from 'preact/hooks';
import { BATCH_STATES, type OperatorBatch } from '../../api/index.js';
import { ActionButton } from '../ui/action-button.js';
import { Confirm } from '../ui/confirm.js';
import { DataTable } from '../ui/data-table.js';
import { ErrorNote } from '../ui/error-note.js';
import { time, whole } from '../ui/format-values.js';
import { LoadNote } from '../ui/loading.js';
import { Renew, Sourced } from '../ui/sourced.js';
import { useAction } from '../ui/use-action.js';
import { useLoad } from '../ui/use-load.js';
import { useQuestion } from '../ui/use-question.js';
import { useReloads } from '../ui/use-reloads.js';
import type { OperatorApi } from './operator-api.js';
import { WorkspaceFilter } from './workspace-field.js';

interface BatchesViewProps {
  readonly api: OperatorApi;
  /** Only the batches of this workspace; null: of all. */
  readonly workspace: string | null;
  readonly active: boolean;
}

/** How long until the list is read again, in milliseconds: while a batch in it can change, and after a temporary error. */
const RELOAD_MS = 5_000;

const isOpen = ({ finished }: OperatorBatch): boolean => finished === null;

/** The newest batches of all keys, without their contents; those that have not finished can be cancelled. */
export function BatchesView({ api, workspace, active }: BatchesViewProps) {
  const [state, setState] = useState('');
  const [cancelling, setCancelling] = useQuestion<string | null>(active, null);
  const action = useAction();
  const { value, isCurrent, error, reload, ...source } = useLoad(
    (signal) => {
      const query = { ...(workspace !== null && { workspace }), ...(state !== '' && { state }) };
      return api.call('listBatches', { query, signal });
    },
    active,
    [api, workspace, state],
  );
  const cancel = (id: string) => {
    setCancelling(null);
    action.run(async () => {
      try {
        await api.call('cancelBatch', { id });
        return `${id} is cancelled.`;
      } finally {
        reload();
      }
    });
  };
  const isMoving = value?.batches.some(isOpen) ?? false;
  useReloads({ reload, error, ...source }, { active, isMoving, everyMs: RELOAD_MS });
  return (
    <section class="panel" aria-labelledby="batches-title">
      <h1 class="hidden">Batches</h1>
      <div class="bar">
        <h2 id="batches-title">Batches</h2>
        <span role="status" class="muted">
          {action.done}
        </span>
        <WorkspaceFilter api={api} active={active} view="batches" workspace={workspace} />
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
      {action.error !== null && <ErrorNote error={action.error} />}
      <LoadNote value={value} error={error} />
      {isCurrent && value?.batches.length === 0 && (
        <p class="empty">
          {state === '' && workspace === null
            ? 'There are no batches. Callers submit them with POST /v1/batches, or in their console.'
            : 'No batch matches. Choose another state or workspace.'}
        </p>
      )}
      {value !== null && value.batches.length > 0 && (
        <Sourced source={source}>
          <List batches={value.batches} busy={action.busy} onCancel={setCancelling} />
        </Sourced>
      )}
      {value?.more && <p class="muted">Only the newest {value.batches.length} are shown.</p>}
      {cancelling !== null && (
        <Confirm
          title="Cancel the batch?"
          action="Cancel the batch"
          onConfirm={() => cancel(cancelling)}
          onCancel={() => setCancelling(null)}
        >
          <p>
            No further line of <code>{cancelling}</code> starts. Lines in progress are answered and charged,
            and the key can collect the results so far.
          </p>
        </Confirm>
      )}
    </section>
  );
}

const CLASSES: Partial<Record<OperatorBatch['state'], string>> = {
  running: 'badge running',
  done: 'badge done',
  failed: 'badge failed',
};

/** States of which a cancel has an effect. */
const CAN_CANCEL: ReadonlyArray<OperatorBatch['state']> = ['queued', 'running', 'expiring'];

interface ListProps {
  readonly batches: readonly OperatorBatch[];
  readonly busy: boolean;
  readonly onCancel: (id: string) => void;
}

const List = ({ batches, busy, onCancel }: ListProps) => (
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
      { title: 'Submitted', class: 'time', cell: ({ created }) => time(created) },
      {
        title: 'Finished',
        class: 'time',
        cell: ({ finished, expires }) => (finished === null ? `by ${time(expires)}` : time(finished)),
      },
      {
        title: 'Actions',
        class: 'nowrap',
        cell: ({ id, state }) =>
          CAN_CANCEL.includes(state) && (
            <ActionButton quiet off={busy} label={`Cancel ${id}`} onClick={() => onCancel(id)}>
              Cancel…
            </ActionButton>
          ),
      },
    ]}
  />
);
