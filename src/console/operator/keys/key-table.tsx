import type { OperatorKey } from '../../../api/index.js';
import { ActionButton } from '../../ui/action-button.js';
import { DataTable } from '../../ui/data-table.js';
import { time } from '../../ui/format-values.js';

interface KeyTableProps {
  readonly keys: readonly OperatorKey[];
  readonly busy: boolean;
  readonly onRoll: (id: string) => void;
  readonly onRevoke: (id: string) => void;
}

const CLASSES: Record<OperatorKey['state'], string> = {
  live: 'badge done',
  rolled: 'badge running',
  expired: 'badge',
  revoked: 'badge failed',
};

/** Keys in the order of the list. */
export const KeyTable = ({ keys, busy, onRoll, onRevoke }: KeyTableProps) => (
  <DataTable
    label="Table of keys"
    rows={keys}
    keyOf={({ id }) => id}
    columns={[
      { title: 'Key', cell: ({ id }) => <code>{id}</code> },
      {
        title: 'Workspace',
        cell: ({ workspace }) => <a href={`#/workspaces/${workspace}`}>{workspace}</a>,
      },
      { title: 'State', cell: ({ state }) => <span class={CLASSES[state]}>{state}</span> },
      { title: 'Created', class: 'nowrap', cell: ({ created }) => time(created) },
      { title: 'Ends', class: 'nowrap', cell: endOf },
      {
        title: 'Actions',
        class: 'nowrap',
        cell: ({ id, state }) => (
          <>
            {state === 'live' && (
              <ActionButton quiet off={busy} label={`Roll ${id}`} onClick={() => onRoll(id)}>
                Roll…
              </ActionButton>
            )}
            {(state === 'live' || state === 'rolled') && (
              <ActionButton quiet off={busy} label={`Revoke ${id}`} onClick={() => onRevoke(id)}>
                Revoke…
              </ActionButton>
            )}
          </>
        ),
      },
    ]}
  />
);

function endOf({ revoked, expires, rolled_to: next }: OperatorKey) {
  if (revoked !== null) return `revoked ${time(revoked)}`;
  return (
    <>
      {expires === null ? 'never' : time(expires)}
      {next !== null && (
        <p class="muted">
          replaced by <code>{next}</code>
        </p>
      )}
    </>
  );
}
