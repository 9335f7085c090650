import {
  type Balance,
  checkDays,
  monthOf,
  type UsageFilter,
  type UsageRow,
  usageRow,
  type Workspace,
} from '../../../access/index.js';
import { chargedIn } from '../ledger/counters.js';
import type { Store } from '../lmdb/store.js';
import { getKey, getWorkspace, listWorkspaces } from './rows.js';

/** The stored balance of a workspace. It does not include charges that a running server has not written yet. */
export function balanceOf(store: Store, { id, granted }: Workspace, now: number): Balance {
  const account = store.table('accounts').get(id);
  const charged = BigInt(account?.charged ?? 0);
  return { charged, balance: granted - charged, monthCharged: chargedIn(store, id, monthOf(now)) };
}

/**
 * The matching counters, ordered by workspace, day, key, model, kind and price. Throws AccessError if the workspace or key
 * of the filter does not exist, or a day is invalid.
 */
export function readUsage(store: Store, filter: UsageFilter): UsageRow[] {
  checkDays(filter);
  if (filter.key !== undefined) getKey(store, filter.key);
  const workspaces =
    filter.workspace === undefined
      ? listWorkspaces(store).map(({ id }) => id)
      : [getWorkspace(store, filter.workspace).id];
  return workspaces.flatMap((id) => [...rowsOf(store, id, filter)]).filter((row) => fits(row, filter));
}

/** Reads only the rows of the days. Days are compared as strings, which sort like dates. */
function* rowsOf(store: Store, workspace: string, { from = '', to }: UsageFilter): Generator<UsageRow> {
  for (const { key, value } of store.table('usage').entriesFrom([workspace], from)) {
    const row = usageRow(key as string[], { ...value, amount: BigInt(value.amount) });
    if (to !== undefined && row.day > to) return;
    yield row;
  }
}

const fits = (row: UsageRow, { key, model }: UsageFilter): boolean =>
  (key === undefined || row.key === key) && (model === undefined || row.model === model);
