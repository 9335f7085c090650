import type { Transaction } from '../postgres/database.js';
import { statement } from '../postgres/statement.js';

/** Rows that one statement moves. */
const MOVED_MAX = 20_000;

/** $1: milliseconds; $2: times before it keep their values; $3, $4: the key of the last row that was moved. */
const moveStatement = (table: string, column: string, type: string) =>
  statement(
    `${table}-move`,
    `WITH part AS (
       SELECT task, ${column} FROM ${table} WHERE at >= $2::bigint AND (task, ${column}) > ($3, $4::${type})
       ORDER BY task, ${column} LIMIT ${MOVED_MAX}
     ), moved AS (
       UPDATE ${table} AS row SET at = at + $1::bigint FROM part WHERE row.task = part.task AND row.${column} = part.${column}
     )
     SELECT task, ${column} AS last FROM part ORDER BY task DESC, ${column} DESC LIMIT 1`,
  );

/** With a key that is less than all others. */
const MOVES = [
  { move: moveStatement('task_answers', 'number', 'bigint'), first: -1 },
  { move: moveStatement('task_labels', 'ref', 'text'), first: '' },
] as const;

/**
 * Adds `ms` milliseconds to the times of answers and labels that are not before `since`, in milliseconds since 1970. Both
 * tables must be locked.
 */
export async function moveTaskTimes(sql: Transaction, ms: number, since: number): Promise<void> {
  for (const { move, first } of MOVES) {
    let last: { readonly task: string; readonly last: string | number } | undefined = {
      task: '',
      last: first,
    };
    while (last !== undefined)
      [last] = await sql.query<NonNullable<typeof last>>(move, [ms, since, last.task, last.last]);
  }
}
