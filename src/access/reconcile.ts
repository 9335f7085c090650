import type { Store } from '../store/index.js';
import { type Amount, showAmount } from './money.js';
import type { Workspace } from './workspaces.js';
import { listWorkspaces } from './workspaces.js';

/** The sums of one workspace, each from its own table. */
interface Books {
  readonly workspace: string;
  readonly granted: Amount;
  readonly charged: Amount;
  readonly balance: Amount;
}

interface Reconciliation {
  readonly books: readonly Books[];
  /** One sentence for each discrepancy. */
  readonly problems: readonly string[];
}

/**
 * Verifies the ledger of each workspace from the tables: credit granted = Σ grants; charged = granted − balance =
 * Σ amounts of the counters; each amount = tokens × price; the charges of the month = Σ counters of that month.
 * Reads one snapshot; while a server runs, that is what is on the disk.
 */
export function reconcile(store: Store): Reconciliation {
  store.refresh();
  const problems: string[] = [];
  const workspaces = listWorkspaces(store);
  const books = workspaces.map((workspace) => check(store, workspace, problems));
  const known = new Set(workspaces.map(({ id }) => id));
  for (const table of ['grants', 'accounts', 'usage'] as const) {
    for (const { key } of store.table(table).entries()) {
      if (!known.has(String(key[0]))) problems.push(`${table} ${key.join(' ')}: there is no such workspace.`);
    }
  }
  return { books, problems };
}

function check(store: Store, { id, granted }: Workspace, problems: string[]): Books {
  const differs = (what: string, one: Amount, other: Amount) => {
    if (one === other) return;
    problems.push(`workspace ${id}: ${what}: ${showAmount(one)} is not ${showAmount(other)}.`);
  };
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
    differs(`tokens × price of ${key.join(' ')}`, BigInt(value.inputTokens) * BigInt(price ?? 0), amount);
  }
  const charged = BigInt(account?.charged ?? 0);
  differs('sum of grants against credit granted', grants, granted);
  differs('charged against the sum of the counters', charged, used);
  differs('charged this month against the counters', BigInt(account?.monthCharged ?? 0), usedInMonth);
  return { workspace: id, granted, charged, balance: granted - charged };
}
