import { userInfo } from 'node:os';
import type { AuditAction } from '../api/index.js';
import type { Table, Value } from './table.js';

/** Entries of the audit log; each further one removes the oldest. About 3 MB. */
export const AUDIT_ENTRIES_MAX = 10_000;
/** Characters of a value before or after a change; longer ones are cut. */
export const AUDIT_VALUE_CHARACTERS_MAX = 1_000;

/** An entry as it is stored. */
export type AuditEntry = Readonly<Value<'audit'>>;

/** Fields of what was changed, as text; null: the field has no value. */
export type AuditFields = Readonly<Record<string, string | null>>;

/** An administrative change. Its fields hold no tokens, digests or callers' data. */
export interface AuditRecord {
  readonly action: AuditAction;
  readonly workspace?: string;
  readonly key?: string;
  /** The fields before the change; absent if there was nothing before. */
  readonly before?: AuditFields;
  readonly after: AuditFields;
}

/** An entry of a record, with the fields that differ. */
export function auditEntry(at: number, actor: string, record: AuditRecord): AuditEntry {
  const { action, workspace = null, key = null, before = {}, after } = record;
  const changes = Object.keys(after).flatMap((field) => {
    const [old, now] = [before[field] ?? null, after[field] ?? null];
    return old === now ? [] : [{ field, before: cut(old), after: cut(now) }];
  });
  return { at, actor, action, workspace, key, changes };
}

/** Whether a record belongs into the log: not if all fields that it has `before` stay as they are. */
export const isRecorded = ({ before }: AuditRecord, { changes }: AuditEntry): boolean =>
  before === undefined || changes.length > 0;

/** Adds an entry, and removes the oldest if there are `AUDIT_ENTRIES_MAX`. Inside a transaction only. */
export function addAuditEntry(table: Table<'audit'>, entry: AuditEntry): void {
  const number = lastNumber(table) + 1;
  table.put([number], entry);
  if (number > AUDIT_ENTRIES_MAX) table.remove([number - AUDIT_ENTRIES_MAX]);
}

/**
 * The newest entries with a number below `before` and above `after`, newest first, and whether there are older ones.
 * Numbers count the entries from 1, without gaps. Throws StoreError.
 */
export function readAudit(
  table: Table<'audit'>,
  limit: number,
  before: number = Number.POSITIVE_INFINITY,
  after = 0,
): { readonly entries: ReadonlyArray<AuditEntry & { readonly number: number }>; readonly more: boolean } {
  const last = Math.min(lastNumber(table), before - 1);
  const entries: Array<AuditEntry & { number: number }> = [];
  for (let number = last; number > after; number -= 1) {
    const entry = table.get(number);
    if (entry === undefined) break;
    if (entries.length === limit) return { entries, more: true };
    entries.push({ number, ...entry });
  }
  return { entries, more: false };
}

/** The actor of a command: the user of the system that runs it. */
export function commandActor(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    // The user has no name, as in a container with a user id of its own.
    return `cli:${process.getuid?.() ?? 'unknown'}`;
  }
}

const lastNumber = (table: Table<'audit'>): number => Number(table.lastKey()?.[0] ?? 0);

const cut = (text: string | null): string | null =>
  text !== null && text.length > AUDIT_VALUE_CHARACTERS_MAX
    ? `${text.slice(0, AUDIT_VALUE_CHARACTERS_MAX)}…`
    : text;
