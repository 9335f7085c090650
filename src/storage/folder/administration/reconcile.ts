import {
  type Books,
  booksOf,
  compare,
  orphanOf,
  type Reconciliation,
  type Workspace,
} from '../../../access/index.js';
import type { Store } from '../lmdb/store.js';
import { listWorkspaces } from './rows.js';

/**
 * Verifies the ledger of each workspace from the tables; see `booksOf`. Also verifies that the amount of each counter is
 * tokens × price. Reads one snapshot; while a server runs, that is what is on the disk.
 */
export function reconcile(store: Store): Reconciliation {
  store.refresh();
  const problems: string[] = [];
  const workspaces = listWorkspaces(store);
  const books = workspaces.map((workspace) => check(store, workspace, problems));
  const known = new Set(workspaces.map(({ id }) => id));
  for (const table of ['grants', 'accounts', 'usage'] as const) {
    for (const { key } of store.table(table).entries()) {
      if (!known.has(String(key[0]))) problems.push(orphanOf(table, key));
    }
  }
  return { books, problems };
}

function check(store: Store, workspace: Workspace, problems: string[]): Books {
  const { id } = workspace;
  let grants = 0n;
  for (const { value } of store.table('grants').entries(id)) grants += BigInt(value.amount);
  const account = store.table('accounts').get(id);
  let used = 0n;
  let usedInMonth = 0n;
  for (const { key, value } of store.table('usage').entries(id)) {
    const [, day, , , , price] = key as string[];
    const amount = BigInt(value.amount);
    used += amount;
    if (day?.startsWith(account?.month ?? '-')) usedInMonth += amount;
    const cost = BigInt(value.inputTokens) * BigInt(price ?? 0);
    compare(problems, id, `tokens × price of ${key.join(' ')}`, cost, amount);
  }
  const charged = BigInt(account?.charged ?? 0);
  const monthCharged = BigInt(account?.monthCharged ?? 0);
  return booksOf(workspace, { grants, charged, monthCharged, used, usedInMonth }, problems);
}
