import { useState } from 'preact/hooks';
import type { OperatorAuditEntry } from '../../api/index.js';
import { ActionButton } from '../ui/action-button.js';
import { csvFile } from '../ui/csv.js';
import { DataTable } from '../ui/data-table.js';
import { ErrorNote } from '../ui/error-note.js';
import { preciseTime } from '../ui/format-values.js';
import { LoadNote } from '../ui/loading.js';
import { saveFile } from '../ui/save-file.js';
import { Renew, Sourced } from '../ui/sourced.js';
import { useAction } from '../ui/use-action.js';
import { useLoad } from '../ui/use-load.js';
import { type AuditFilter, AuditFilters } from './audit-filters.js';
import { type OlderEntries, shownAudit, withOlder } from './audit-pages.js';
import type { OperatorApi } from './operator-api.js';

interface AuditViewProps {
  readonly api: OperatorApi;
  readonly active: boolean;
}

/** The administrative changes, newest first. */
export function AuditView({ api, active }: AuditViewProps) {
  const [filter, setFilter] = useState<AuditFilter>({});
  const { value, isCurrent, error, reload, ...source } = useLoad(
    async (signal) => ({ ...(await api.call('listAudit', { query: filter, signal })), filter }),
    active,
    [api, filter],
  );
  const [older, setOlder] = useState<OlderEntries | null>(null);
  const action = useAction();
  const { entries, more } = shownAudit(value, older);
  const load = async () => {
    if (value === null) return '';
    const before = String(entries.at(-1)?.number);
    const page = await api.call('listAudit', { query: { ...value.filter, before } });
    setOlder(withOlder({ entries, more }, value.filter, page));
    return '';
  };
  return (
    <section class="panel" aria-labelledby="audit-title">
      <h1 class="hidden">Audit log</h1>
      <div class="bar">
        <h2 id="audit-title">Administrative changes</h2>
        {entries.length > 0 && (
          <button type="button" onClick={() => saveFile(csvFile(csvRows(entries)), 'audit.csv')}>
            Save as CSV
          </button>
        )}
        <Renew source={source} reload={reload} />
      </div>
      <AuditFilters api={api} active={active} filter={filter} onFilter={setFilter} />
      <LoadNote value={value} error={error} />
      {isCurrent && entries.length === 0 && Object.keys(filter).length > 0 && (
        <p class="empty">No entry matches.</p>
      )}
      {isCurrent && entries.length === 0 && Object.keys(filter).length === 0 && (
        <p class="empty">
          Nothing was changed yet. Each change of a workspace, a key or the settings is listed here.
        </p>
      )}
      {entries.length > 0 && (
        <Sourced source={source}>
          <Entries entries={entries} />
        </Sourced>
      )}
      {more && (
        <div class="actions">
          <ActionButton off={action.busy} onClick={() => action.run(load)}>
            Older entries
          </ActionButton>
        </div>
      )}
      {action.error !== null && <ErrorNote error={action.error} />}
    </section>
  );
}

/** A row per change of a field. */
const csvRows = (entries: readonly OperatorAuditEntry[]): Array<Array<string | number>> => [
  ['number', 'time', 'actor', 'action', 'workspace', 'key', 'field', 'before', 'after'],
  ...entries.flatMap(({ number, time, actor, action, workspace, key, changes }) => {
    const common = [number, time, actor, action, workspace ?? '', key ?? ''];
    if (changes.length === 0) return [[...common, '', '', '']];
    return changes.map(({ field, before, after }) => [...common, field, before ?? '', after ?? '']);
  }),
];

const Entries = ({ entries }: { readonly entries: readonly OperatorAuditEntry[] }) => (
  <DataTable
    label="Table of administrative changes"
    rows={entries}
    keyOf={({ number }) => number}
    columns={[
      { title: 'Number', number: true, cell: ({ number }) => number },
      { title: 'Time', class: 'time', cell: ({ time }) => preciseTime(time) },
      { title: 'By', cell: ({ actor }) => actor },
      { title: 'Action', class: 'nowrap', cell: ({ action }) => action },
      {
        title: 'Workspace',
        cell: ({ workspace }) =>
          workspace === null ? '' : <a href={`#/workspaces/${workspace}`}>{workspace}</a>,
      },
      { title: 'Key', cell: ({ key }) => (key === null ? '' : <code>{key}</code>) },
      { title: 'Changes', class: 'text', cell: ({ changes }) => <Changes changes={changes} /> },
    ]}
  />
);

const Changes = ({ changes }: Pick<OperatorAuditEntry, 'changes'>) => (
  <ul class="plain">
    {changes.map(({ field, before, after }) => (
      <li key={field}>
        {field}: {before !== null && <bdi>{before}</bdi>}
        {before !== null && ' → '}
        {after === null ? 'removed' : <bdi>{after}</bdi>}
      </li>
    ))}
  </ul>
);
