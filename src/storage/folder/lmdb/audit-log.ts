import { AUDIT_ENTRIES_MAX, type AuditEntry, type AuditFilter, fitsFilter } from '../../../access/index.js';
import type { Table } from './table.js';

/** Adds an entry, and removes the oldest if there are `AUDIT_ENTRIES_MAX`. Inside a transaction only. */
export function addAuditEntry(table: Table<'audit'>, entry: AuditEntry): void {
  const number = lastNumber(table) + 1;
  table.put([number], entry);
  if (number > AUDIT_ENTRIES_MAX) table.remove([number - AUDIT_ENTRIES_MAX]);
}

/**
 * The newest entries that fit the filter, with a number below `before` and above `after`, newest first, and whether there are older ones.
 * Numbers count the entries from 1, without gaps. Throws StoreError.
 */
export function readAudit(
  table: Table<'audit'>,
  limit: number,
  before: number = Number.POSITIVE_INFINITY,
  after = 0,
  filter: AuditFilter = {},
): { readonly entries: ReadonlyArray<AuditEntry & { readonly number: number }>; readonly more: boolean } {
  const last = Math.min(lastNumber(table), before - 1);
  const entries: Array<AuditEntry & { number: number }> = [];
  for (let number = last; number > after; number -= 1) {
    const entry = table.get(number);
    if (entry === undefined) break;
    if (!fitsFilter(entry, filter)) continue;
    if (entries.length === limit) return { entries, more: true };
    entries.push({ number, ...entry });
  }
  return { entries, more: false };
}

const lastNumber = (table: Table<'audit'>): number => Number(table.lastKey()?.[0] ?? 0);
