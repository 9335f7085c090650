import { type Amount, showAmount } from './money.js';
import type { Workspace } from './workspaces.js';

/** The sums of one workspace, each from its own table. */
export interface Books {
  readonly workspace: string;
  readonly granted: Amount;
  readonly charged: Amount;
  readonly balance: Amount;
}

export interface Reconciliation {
  readonly books: readonly Books[];
  /** One sentence for each discrepancy. */
  readonly problems: readonly string[];
}

/** What the tables have of one workspace. */
export interface StoredSums {
  /** Sum of the grants. */
  readonly grants: Amount;
  /** What the account was charged, in total and in its month. */
  readonly charged: Amount;
  readonly monthCharged: Amount;
  /** Sum of the counters, and of those of the account's month. */
  readonly used: Amount;
  readonly usedInMonth: Amount;
}

/** Adds a sentence to `problems` if two amounts of a workspace differ. */
export function compare(
  problems: string[],
  workspace: string,
  what: string,
  one: Amount,
  other: Amount,
): void {
  if (one === other) return;
  problems.push(`workspace ${workspace}: ${what}: ${showAmount(one)} is not ${showAmount(other)}.`);
}

/**
 * Verifies the ledger of a workspace: credit granted = Σ grants; charged = granted − balance = Σ amounts of the counters;
 * the charges of the month = Σ counters of that month. Adds a sentence to `problems` for each discrepancy.
 */
export function booksOf({ id, granted }: Workspace, sums: StoredSums, problems: string[]): Books {
  const { grants, charged, monthCharged, used, usedInMonth } = sums;
  compare(problems, id, 'sum of grants against credit granted', grants, granted);
  compare(problems, id, 'charged against the sum of the counters', charged, used);
  compare(problems, id, 'charged this month against the counters', monthCharged, usedInMonth);
  return { workspace: id, granted, charged, balance: granted - charged };
}

/** The sentence for a row whose workspace does not exist. */
export const orphanOf = (table: string, parts: readonly unknown[]): string =>
  `${table} ${parts.join(' ')}: there is no such workspace.`;
