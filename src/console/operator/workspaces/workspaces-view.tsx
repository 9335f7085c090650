import type { OperatorListedWorkspace, OperatorModel } from '../../../api/index.js';
import { CallError } from '../../api/error.js';
import { DataTable } from '../../ui/data-table.js';
import { whole } from '../../ui/format-values.js';
import { LoadNote } from '../../ui/loading.js';
import { Money } from '../../ui/money.js';
import { Renew, Sourced } from '../../ui/sourced.js';
import { useLoad } from '../../ui/use-load.js';
import { ListFilters } from '../list-filters.js';
import { ListPages } from '../list-pages.js';
import type { OperatorApi } from '../operator-api.js';
import { usePage } from '../use-page.js';
import { CreateWorkspace } from './create-workspace.js';
import type { OnChanged } from './save-change.js';
import { UsagePanel } from './usage-panel.js';
import { WorkspacePanel } from './workspace-panel.js';

interface WorkspacesViewProps {
  readonly api: OperatorApi;
  readonly models: readonly OperatorModel[];
  /** The id of the workspace in detail; null for none. */
  readonly shown: string | null;
  readonly active: boolean;
}

/** All workspaces, one of them in detail, and a form for a new one; the usage of the one in detail. */
export function WorkspacesView({ api, models, shown, active }: WorkspacesViewProps) {
  const page = usePage('id');
  const { query } = page;
  const { value, isCurrent, error, reload, replace, ...source } = useLoad(
    async (signal) => {
      const [list, detail] = await Promise.all([
        api.call('listWorkspaces', { query, signal }),
        shown === null ? undefined : api.call('showWorkspace', { id: shown, signal }).catch(noneIfUnknown),
      ]);
      return { ...list, at: page.at, sort: page.sort, detail, of: shown };
    },
    active,
    [api, shown, query.search, query.sort, page.at],
  );
  const workspace = value?.detail?.id === shown ? value?.detail : undefined;
  const show: OnChanged = (changed) =>
    replace((old) => {
      const { detail } = old;
      return detail === undefined || detail.id !== changed?.id
        ? old
        : { ...old, detail: { ...detail, ...changed } };
    });
  return (
    <>
      <h1 class="hidden">Workspaces</h1>
      <div class="columns">
        <div class="column">
          <section class="panel" aria-labelledby="workspaces-title">
            <div class="bar">
              <h2 id="workspaces-title">Workspaces</h2>
              <Renew source={source} reload={reload} />
            </div>
            <LoadNote value={value} error={error} />
            <ListFilters state={page} sorts={SORTS} />
            {isCurrent && value?.total === 0 && query.search !== '' && (
              <p class="empty">No workspace matches.</p>
            )}
            {isCurrent && value?.total === 0 && query.search === '' && (
              <p class="empty">There is no workspace yet. Create one below, then give it credit and a key.</p>
            )}
            {value !== null && value.workspaces.length > 0 && (
              <Sourced source={source}>
                <List workspaces={value.workspaces} currency={value.currency} shown={shown} />
              </Sourced>
            )}
            {value !== null && (
              <ListPages state={page} part={value} rows={value.workspaces.length} what="workspace" />
            )}
          </section>
          <CreateWorkspace api={api} active={active} onEnd={reload} />
        </div>
        <div class="column">
          {value !== null && workspace !== undefined && (
            <WorkspacePanel
              key={workspace.id}
              api={api}
              active={active}
              workspace={workspace}
              source={source}
              currency={value.currency}
              models={models}
              onChanged={show}
            />
          )}
          {value !== null && workspace === undefined && (
            <section class="panel">
              <p class="empty">{reasonOf(shown, value.of, error)}</p>
            </section>
          )}
        </div>
      </div>
      {workspace !== undefined && (
        <UsagePanel key={workspace.id} api={api} workspace={workspace} active={active} />
      )}
    </>
  );
}

/** Why no workspace is shown in detail. `loaded`: the id that was loaded last; null: none. */
function reasonOf(shown: string | null, loaded: string | null, error: unknown): string {
  if (shown === null)
    return 'Choose a workspace to see its usage, and to change its credit, budget, limits and models.';
  if (shown === loaded) return 'There is no workspace with this id. Choose one of the list.';
  return error === null ? 'Loading…' : 'The workspace is not loaded. Reload the list.';
}

/** The address may name a workspace that does not exist, or cannot. */
function noneIfUnknown(error: unknown): undefined {
  if (error instanceof CallError && UNKNOWN.includes(error.type)) return;
  throw error;
}

const UNKNOWN = ['not_found', 'invalid_request'];

const SORTS = [
  ['id', 'by id'],
  ['name', 'by name'],
  ['-created', 'newest first'],
  ['-granted', 'most granted first'],
  ['-working_keys', 'most keys first'],
] as const satisfies ReadonlyArray<readonly [string, string]>;

interface ListProps {
  readonly workspaces: readonly OperatorListedWorkspace[];
  readonly currency: string;
  readonly shown: string | null;
}

const List = ({ workspaces, currency, shown }: ListProps) => (
  <DataTable
    label="Table of workspaces"
    rows={workspaces}
    keyOf={({ id }) => id}
    columns={[
      {
        title: 'Workspace',
        cell: ({ id, name, closed }) => (
          <>
            <a href={`#/workspaces/${id}`} aria-current={id === shown ? 'true' : undefined}>
              {id}
            </a>
            {closed !== null && <span class="badge failed">closed</span>}
            {name !== null && (
              <p class="muted">
                <bdi>{name}</bdi>
              </p>
            )}
          </>
        ),
      },
      {
        title: 'Credit left',
        number: true,
        cell: ({ balance }) => (
          <span class={Number(balance) > 0 ? undefined : 'warning'}>
            <Money amount={balance} currency={currency} />
          </span>
        ),
      },
      {
        title: 'This month',
        number: true,
        cell: ({ charged_this_month: charged }) => <Money amount={charged} currency={currency} />,
      },
      {
        title: 'Budget',
        number: true,
        cell: ({ budget }) => (budget === null ? 'none' : <Money amount={budget} currency={currency} />),
      },
      { title: 'Working keys', number: true, cell: ({ working_keys: keys }) => whole(keys) },
    ]}
  />
);
