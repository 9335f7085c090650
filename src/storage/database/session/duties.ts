import type { Database, Transaction } from '../postgres/database.js';
import { type Queryable, statement } from '../postgres/statement.js';
import { fenced } from './fenced.js';
import type { Session } from './session.js';

const HOLDER = statement('duty-holder', 'SELECT node FROM duties WHERE duty = $1');
const TAKE = statement(
  'duty-take',
  'INSERT INTO duties (duty, node) VALUES ($1, $2) ON CONFLICT (duty) DO NOTHING',
);
const GIVE_UP = statement('duty-give-up', 'DELETE FROM duties WHERE duty = $1 AND node = $2');

/**
 * Whether the session `node` has a duty: work that one node does for all. It takes the duty if no session has it, and keeps
 * it until it ends. Rejects with SessionLost, after a call of `lost`, if the session has ended; with DatabaseUnavailable.
 */
export async function hasDuty(
  database: Database,
  session: Pick<Session, 'lost'>,
  node: number,
  duty: string,
): Promise<boolean> {
  const holder = await holderOf(database, duty);
  if (holder !== undefined) return holder === node;
  const take = (sql: Transaction) => sql.execute(TAKE, [duty, node]);
  await fenced(database, session, node, take);
  return (await holderOf(database, duty)) === node;
}

/** Gives up the duty of a session, so that another session can take it at once. */
export async function giveUpDuty(sql: Queryable, duty: string, node: number): Promise<void> {
  await sql.execute(GIVE_UP, [duty, node]);
}

/** The session that has a duty; undefined if none has. */
async function holderOf(sql: Queryable, duty: string): Promise<number | undefined> {
  return (await sql.query<{ node: number }>(HOLDER, [duty]))[0]?.node;
}
