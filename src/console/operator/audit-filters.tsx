import { useState } from 'preact/hooks';
import { AUDIT_ACTIONS, type OperatorQueries } from '../../api/index.js';
import type { OperatorApi } from './operator-api.js';
import { WorkspaceField } from './workspace-field.js';

/** Which entries are shown; absent: any. */
export type AuditFilter = Pick<OperatorQueries['listAudit'], 'workspace' | 'key' | 'action'>;

interface AuditFiltersProps {
  readonly api: OperatorApi;
  readonly active: boolean;
  readonly filter: AuditFilter;
  readonly onFilter: (filter: AuditFilter) => void;
}

/** Fields that select entries by workspace, key and action. */
export function AuditFilters({ api, active, filter, onFilter }: AuditFiltersProps) {
  const [workspace, setWorkspace] = useState('');
  const choose = (name: keyof AuditFilter, value: string) => {
    const { [name]: _, ...others } = filter;
    onFilter(value === '' ? others : { ...others, [name]: value });
  };
  return (
    <div class="row filters">
      <WorkspaceField
        api={api}
        active={active}
        label="Workspace"
        inline
        placeholder="all"
        value={workspace}
        onInput={setWorkspace}
        onDone={(id) => choose('workspace', id)}
      />
      <label class="inline">
        Key
        <input
          type="text"
          placeholder="all"
          autocomplete="off"
          spellcheck={false}
          onChange={({ currentTarget }) => choose('key', currentTarget.value.trim())}
        />
      </label>
      <label class="inline">
        Action
        <select
          value={filter.action ?? ''}
          onChange={({ currentTarget }) => choose('action', currentTarget.value)}
        >
          <option value="">all</option>
          {Object.keys(AUDIT_ACTIONS).map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
    </div>
  );
}
