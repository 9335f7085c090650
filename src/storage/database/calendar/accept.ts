import { JUMP_LASTS_MS } from '../../../base/index.js';
import { UNFINISHED } from '../batches/tables/conditions.js';
import { DATABASE_MS } from '../postgres/calendar-sql.js';
import type { Database, Transaction } from '../postgres/database.js';
import { DatabaseUnavailable } from '../postgres/database-errors.js';
import { statement } from '../postgres/statement.js';
import { moveTaskTimes } from '../tasks/moved-times.js';
import type { CalendarRow } from './calendar-row.js';

/** The longest wait, in milliseconds, for the transactions in progress. Others wait behind this one. */
const LOCK_MS_MAX = '2000';
/** The longest time of a statement that moves rows, in milliseconds. Meanwhile what it moves is not written; requests go on. */
const MOVE_MS_MAX = 60_000;

const LIMIT = statement('calendar-limit-locks', `SELECT set_config('lock_timeout', $1, true)`);
// Held by one node. It does not conflict with the statements of heartbeats.
const ALONE = statement('calendar-alone', 'LOCK TABLE calendar IN SHARE UPDATE EXCLUSIVE MODE NOWAIT');
const UNCHANGED = statement('calendar-unchanged', 'SELECT FROM calendar WHERE version = $1');
// Each transaction that stores a time that moves has locked one of these tables when it reads the time.
const LOCK = statement(
  'calendar-lock',
  'LOCK TABLE task_answers, task_labels, batch_numbers, batches, submissions IN EXCLUSIVE MODE',
);

/** SQLSTATE of a lock that was not available. */
const LOCKED = '55P03';

/** $1: the milliseconds of the jump; $2: times that were written before it keep their values. */
const MOVES = [
  statement(
    'calendar-move-batches',
    `UPDATE batches SET
       expires = CASE WHEN ${UNFINISHED} THEN expires + $1 ELSE expires END,
       webhook_due = webhook_due + $1,
       finished = CASE WHEN finished >= $2 THEN finished + $1 ELSE finished END,
       collected = CASE WHEN collected >= $2 THEN collected + $1 ELSE collected END
     WHERE ${UNFINISHED} OR webhook_due IS NOT NULL OR finished >= $2 OR collected >= $2`,
  ),
  statement('calendar-move-submissions', 'UPDATE submissions SET at = at + $1 WHERE at >= $2'),
];

const ACCEPT = statement(
  'calendar-accept',
  `UPDATE calendar SET version = version + 1, correction = 0, since = NULL, doubted = clock.now,
     before = CASE WHEN since - doubted < ${JUMP_LASTS_MS} THEN before ELSE clock.now + correction END,
     began = began - correction, shift = shift + correction,
     confirmed = clock.now, confirmed_by = $2::bigint, confirmed_clock = clock.now
   FROM (SELECT ${DATABASE_MS} AS now) AS clock WHERE version = $1`,
);

/**
 * Makes the calendar follow a jump that has lasted, and moves with it what is stored, so that windows keep their length and
 * finished batches, idempotency keys, answers and labels their age. Does nothing if another node does it, or has changed the
 * calendar since the row was read, or if transactions in progress do not end in time. Throws DatabaseUnavailable and
 * StatementError; then nothing has changed.
 *
 * @param session the node's
 */
export async function acceptJump(
  database: Database,
  { version, correction, began }: CalendarRow,
  session: number,
): Promise<void> {
  const accept = async (transaction: Transaction) => {
    await transaction.query(LIMIT, [LOCK_MS_MAX]);
    await transaction.execute(ALONE);
    if ((await transaction.query(UNCHANGED, [version])).length === 0) return;
    // Before anything moves: there may be a million answers, and a lock that is not available would undo it all.
    await transaction.execute(LOCK);
    await moveTaskTimes(transaction, -correction, began);
    for (const move of MOVES) await transaction.execute(move, [-correction, began]);
    if ((await transaction.execute(ACCEPT, [version, session])) === 0)
      throw new Error('The calendar changed while a jump was accepted. It is tried again.');
  };
  try {
    await database.transaction(accept, { statementMs: MOVE_MS_MAX });
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable && error.code === LOCKED)) throw error;
  }
}
