import { userInfo } from 'node:os';
import type { AuditAction } from '../api/index.js';

/** Entries of the audit log; each further one removes the oldest. About 3 MB. */
export const AUDIT_ENTRIES_MAX = 10_000;
/** Characters of a value before or after a change; longer ones are cut. */
export const AUDIT_VALUE_CHARACTERS_MAX = 1_000;

/** An entry as it is stored. */
export interface AuditEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actor: string;
  /** One of `AUDIT_ACTIONS`, or of a later version. */
  readonly action: string;
  readonly workspace: string | null;
  readonly key: string | null;
  readonly changes: ReadonlyArray<{
    readonly field: string;
    readonly before: string | null;
    readonly after: string | null;
  }>;
}

/** Selects entries; absent or undefined: any. */
export interface AuditFilter {
  readonly workspace?: string | undefined;
  readonly key?: string | undefined;
  readonly action?: string | undefined;
}

export const fitsFilter = (entry: AuditEntry, { workspace, key, action }: AuditFilter): boolean =>
  (workspace === undefined || entry.workspace === workspace) &&
  (key === undefined || entry.key === key) &&
  (action === undefined || entry.action === action);

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

/** The actor of a command: the user of the system that runs it. */
export function commandActor(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    // The user has no name, as in a container with a user id of its own.
    return `cli:${process.getuid?.() ?? 'unknown'}`;
  }
}

/** The first half of a character that needs two units. A database refuses it. */
const HALF_AT_END = /[\ud800-\udbff]$/;

const cut = (text: string | null): string | null =>
  text !== null && text.length > AUDIT_VALUE_CHARACTERS_MAX
    ? `${text.slice(0, AUDIT_VALUE_CHARACTERS_MAX).replace(HALF_AT_END, '')}…`
    : text;
