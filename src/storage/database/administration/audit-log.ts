import {
  AUDIT_ENTRIES_MAX,
  type AuditEntry,
  type AuditFilter,
  type AuditPage,
} from '../../../access/index.js';
import { type Queryable, statement } from '../postgres/statement.js';

const ADD = statement(
  'audit-add',
  `INSERT INTO audit (entry, at, actor, action, workspace, key, changes)
   SELECT coalesce(max(entry), 0) + 1, $1::bigint, $2::text, $3::text, $4::text, $5::text, $6::jsonb FROM audit
   RETURNING entry`,
);
const FORGET = statement('audit-forget', 'DELETE FROM audit WHERE entry <= $1');
const READ = statement(
  'audit-read',
  `SELECT entry AS number, at, actor, action, workspace, key, changes FROM audit
   WHERE entry < $1 AND entry > $2 AND ($4::text IS NULL OR workspace = $4) AND ($5::text IS NULL OR key = $5)
     AND ($6::text IS NULL OR action = $6) ORDER BY entry DESC LIMIT $3`,
);

/** Adds an entry, and removes the oldest if there are AUDIT_ENTRIES_MAX. In a change only, so that numbers have no gaps. */
export async function addAuditEntry(transaction: Queryable, entry: AuditEntry): Promise<void> {
  const { at, actor, action, workspace, key, changes } = entry;
  const values = [at, actor, action, workspace, key, JSON.stringify(changes)];
  const [row] = await transaction.query<{ entry: number }>(ADD, values);
  const oldest = (row?.entry ?? 0) - AUDIT_ENTRIES_MAX;
  if (oldest > 0) await transaction.execute(FORGET, [oldest]);
}

/** See `Administration.audit`. */
export async function readAudit(
  database: Queryable,
  limit: number,
  before: number = Number.MAX_SAFE_INTEGER,
  after = 0,
  { workspace, key, action }: AuditFilter = {},
): Promise<AuditPage> {
  const values = [before, after, limit + 1, workspace ?? null, key ?? null, action ?? null];
  const rows = await database.query<AuditPage['entries'][number]>(READ, values);
  const entries = rows.slice(0, limit).map(({ changes, ...entry }) => ({
    ...entry,
    // jsonb does not keep the order of fields, in which commands print them.
    changes: changes.map(({ field, before, after }) => ({ field, before, after })),
  }));
  return { entries, more: rows.length > limit };
}
