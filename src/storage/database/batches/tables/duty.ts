import type { Transaction } from '../../postgres/database.js';
import { type Queryable, statement } from '../../postgres/statement.js';

const HOLDER = statement('duty-holder', 'SELECT node FROM duties WHERE duty = $1');
const TAKE = statement(
  'duty-take',
  'INSERT INTO duties (duty, node) VALUES ($1, $2) ON CONFLICT (duty) DO NOTHING',
);
const GIVE_UP = statement('duty-give-up', 'DELETE FROM duties WHERE duty = $1 AND node = $2');

/** The session that has a duty; undefined if none has. */
export async function holderOf(sql: Queryable, duty: string): Promise<number | undefined> {
  return (await sql.query<{ node: number }>(HOLDER, [duty]))[0]?.node;
}

/** Takes a duty for a session, unless another session has it. The transaction must have checked that the session exists. */
export async function takeDuty(sql: Transaction, duty: string, node: number): Promise<void> {
  await sql.execute(TAKE, [duty, node]);
}

/** Gives up the duty of a session, so that another session can take it at once. */
export async function giveUpDuty(sql: Queryable, duty: string, node: number): Promise<void> {
  await sql.execute(GIVE_UP, [duty, node]);
}
