import { type KeyUses, type LastUses, USE_PRECISION_MS } from '../../../access/index.js';
import type { LedgerPart, TakenChanges } from '../ledger/part.js';
import { type Queryable, statement } from '../postgres/statement.js';

// In the order of the keys, so that two nodes do not wait for each other. An earlier time replaces a later one only if that
// cannot be: it was stored while the calendar was wrong.
const PUT = statement(
  'key-uses-put',
  `INSERT INTO key_uses (key, used)
   SELECT given.key, given.used FROM unnest($1::text[], $2::bigint[]) AS given (key, used) ORDER BY given.key COLLATE "C"
   ON CONFLICT (key) DO UPDATE SET used = excluded.used
   WHERE key_uses.used < excluded.used OR key_uses.used > excluded.used + ${USE_PRECISION_MS}`,
);
const ALL = statement('key-uses-all', 'SELECT key, used FROM key_uses');
const OF = statement('key-uses-of', 'SELECT key, used FROM key_uses WHERE key = ANY($1)');

/** Stores the last uses of keys, in the exchanges of the ledger. */
export class DatabaseKeyUses implements LedgerPart {
  constructor(private readonly uses: KeyUses) {}

  take(): TakenChanges | null {
    const pending = this.uses.pending();
    if (pending.size === 0) return null;
    return {
      async write(transaction) {
        await transaction.execute(PUT, [[...pending.keys()], [...pending.values()]]);
      },
      written: () => this.uses.stored(pending),
      lost() {},
    };
  }
}

/** When these keys were last used, or all. */
export async function lastUses(database: Queryable, keys?: readonly string[]): Promise<LastUses> {
  const rows = await database.query<{ key: string; used: number }>(
    keys === undefined ? ALL : OF,
    keys === undefined ? [] : [keys],
  );
  return new Map(rows.map(({ key, used }) => [key, used]));
}
