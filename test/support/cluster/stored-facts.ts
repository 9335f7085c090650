import { statement } from '../../../src/storage/database/index.js';
import type { Queryable } from '../../../src/storage/database/postgres/statement.js';

// One row per fact, so that two moments can be compared. A batch that runs changes nothing here until it is cancelled.
const FACTS = statement(
  'facts',
  `SELECT 'workspace ' || id AS fact FROM workspaces
   UNION ALL SELECT 'budget ' || id || ' ' || coalesce(budget::text, 'none') FROM workspaces
   UNION ALL SELECT 'granted ' || id || ' ' || granted FROM workspaces
   UNION ALL SELECT 'grant ' || workspace || ' ' || number || ' ' || amount FROM grants
   UNION ALL SELECT 'key ' || id FROM keys
   UNION ALL SELECT 'rolled ' || id FROM keys WHERE rolled_to IS NOT NULL
   UNION ALL SELECT 'revoked ' || id FROM keys WHERE revoked IS NOT NULL
   UNION ALL SELECT 'batch ' || id FROM batches
   UNION ALL SELECT 'cancelled ' || id FROM batches WHERE state IN ('cancelling', 'cancelled')
   UNION ALL SELECT 'audit ' || entry FROM audit`,
);

/** What callers and operators have changed in a database: facts such as `batch batch_…`. */
export async function storedFacts(database: Queryable): Promise<ReadonlySet<string>> {
  return new Set((await database.query<{ fact: string }>(FACTS)).map(({ fact }) => fact));
}

/** The facts that came and went, by their first word, sorted: `+audit +grant +granted -granted`. */
export function changeOf(before: ReadonlySet<string>, after: ReadonlySet<string>): string {
  const kinds = (sign: string, facts: Iterable<string>, others: ReadonlySet<string>) =>
    [...facts].filter((fact) => !others.has(fact)).map((fact) => `${sign}${fact.split(' ')[0]}`);
  return [...kinds('+', after, before), ...kinds('-', before, after)].sort().join(' ');
}
