import { type Database, statement } from '../../../src/storage/database/index.js';

/** Each selects what is wrong, in one snapshot. */
const INVARIANTS: readonly (readonly [name: string, query: string])[] = [
  [
    'an account was charged more than was granted, or another sum than its usage',
    `SELECT w.id FROM workspaces w JOIN accounts a ON a.workspace = w.id
     WHERE a.charged > w.granted OR a.charged <> (SELECT coalesce(sum(amount), 0) FROM usage WHERE workspace = w.id)`,
  ],
  [
    'more is leased than is left, or another sum than that of the leases',
    `SELECT w.id FROM workspaces w JOIN accounts a ON a.workspace = w.id
     WHERE a.charged + a.leased > w.granted
       OR a.leased <> (SELECT coalesce(sum(amount), 0) FROM credit_leases WHERE workspace = w.id)`,
  ],
  [
    'a workspace was granted another sum than that of its grants',
    'SELECT id FROM workspaces w WHERE granted <> (SELECT coalesce(sum(amount), 0) FROM grants WHERE workspace = w.id)',
  ],
  [
    'the counts of a batch are not those of its results',
    `SELECT id FROM batches b WHERE done + failed > lines
       OR (b.finished IS NULL AND done + failed <> (SELECT count(*) FROM batch_results WHERE batch = b.id))`,
  ],
  [
    'as many batch lines are charged as are done',
    `SELECT key FROM (
       SELECT key, sum(done) AS done, (SELECT coalesce(sum(requests), 0) FROM usage u WHERE u.key = b.key AND kind = 'batch') AS charged
       FROM batches b GROUP BY key
     ) AS sums WHERE done <> charged`,
  ],
  [
    'a lease has no session',
    'SELECT workspace AS id FROM credit_leases WHERE node NOT IN (SELECT id FROM nodes)',
  ],
  ['a claim has no session', 'SELECT batch AS id FROM batch_chunks WHERE node NOT IN (SELECT id FROM nodes)'],
  [
    'a batch was deleted',
    'SELECT id FROM batches WHERE deleted OR NOT EXISTS (SELECT FROM data_keys WHERE owner = id)',
  ],
];

/** What is left behind when all nodes have stopped. */
const RESTS: readonly (readonly [name: string, query: string])[] = [
  ['a session is left', 'SELECT id FROM nodes'],
  ['a lease is left', 'SELECT workspace AS id FROM credit_leases WHERE amount <> 0'],
  ['credit is leased', 'SELECT workspace AS id FROM accounts WHERE leased <> 0'],
  ['a chunk is left', 'SELECT batch AS id FROM batch_chunks'],
];

/** What is wrong in a database that nodes may be using. */
export const lookAt = (database: Database) => failing(database, INVARIANTS);

/** What nodes that have stopped left behind. */
export const restOf = (database: Database) => failing(database, RESTS);

async function failing(
  database: Database,
  checks: readonly (readonly [name: string, query: string])[],
): Promise<string[]> {
  const found: string[] = [];
  for (const [name, query] of checks) {
    const rows = await database.query(statement('', query));
    if (rows.length > 0) found.push(`${name}: ${JSON.stringify(rows.slice(0, 3))}`);
  }
  return found;
}
