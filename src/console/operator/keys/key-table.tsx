import type { OperatorKey } from '../../../api/index.js';
import { ActionButton } from '../../ui/action-button.js';
import { DataTable } from '../../ui/data-table.js';
import { time } from '../../ui/format-values.js';
import { KeyLabel } from './key-label.js';
import type { KeyQuestion } from './key-question.js';

interface KeyTableProps {
  readonly keys: readonly OperatorKey[];
  readonly busy: boolean;
  readonly onAsk: (question: KeyQuestion) => void;
}

const CLASSES: Record<OperatorKey['state'], string> = {
  live: 'badge done',
  rolled: 'badge running',
  expired: 'badge',
  revoked: 'badge failed',
  closed: 'badge failed',
};

/** States of keys that work, or would if their workspace were open. */
const CAN_END: ReadonlyArray<OperatorKey['state']> = ['live', 'rolled', 'closed'];

/** Keys in the order of the list. */
export const KeyTable = ({ keys, busy, onAsk }: KeyTableProps) => (
  <DataTable
    label="Table of keys"
    rows={keys}
    keyOf={({ id }) => id}
    columns={[
      { title: 'Key', cell: (key) => <KeyLabel of={key} /> },
      {
        title: 'Workspace',
        cell: ({ workspace }) => <a href={`#/workspaces/${workspace}`}>{workspace}</a>,
      },
      { title: 'State', cell: ({ state }) => <span class={CLASSES[state]}>{state}</span> },
      { title: 'Created', class: 'time', cell: ({ created }) => time(created) },
      { title: 'Ends', class: 'time', cell: endOf },
      {
        title: 'Last used (hour)',
        class: 'time',
        cell: ({ last_used: used }) => (used === null ? 'unknown' : time(used)),
      },
      {
        title: 'Actions',
        class: 'nowrap',
        cell: (key) => {
          const button = (kind: KeyQuestion['kind'], name: string) => (
            <ActionButton quiet off={busy} label={`${name} ${key.id}`} onClick={() => onAsk({ kind, key })}>
              {name}…
            </ActionButton>
          );
          return (
            <>
              {button('rename', 'Rename')}
              {key.state === 'live' && button('roll', 'Roll')}
              {CAN_END.includes(key.state) && button('revoke', 'Revoke')}
            </>
          );
        },
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
