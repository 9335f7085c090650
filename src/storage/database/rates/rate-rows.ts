import { SESSION_MS } from '../postgres/calendar-sql.js';
import { type Queryable, statement } from '../postgres/statement.js';

/** Requests of a key. */
export interface KeyCount {
  readonly key: string;
  readonly requests: number;
  readonly bytes: number;
}

/** Requests of a key on this node. */
export interface OwnCount extends KeyCount {
  /** How many milliseconds ago the first of them was admitted. */
  readonly ageMs: number;
}

/** What a node has admitted of a key in one second, or in the one after it. */
export interface NodeCount extends KeyCount {
  readonly node: number;
  /** Seconds of the time of sessions. */
  readonly second: number;
  /** How many milliseconds ago the second began. */
  readonly ageMs: number;
}

/** Rows of this many seconds are read again, because counts may be added to them. */
const READ_SECONDS = 5;
/** Counts are not written under an earlier second than this many milliseconds ago. Less than READ_SECONDS. */
const AGE_MS_MAX = 3_000;
/** A node that starts reads the rows of this many seconds. It deletes its own when they are older. */
export const KEPT_SECONDS = 61;
/** Rows that their node has not deleted are deleted by others after this many seconds. */
const ABANDONED_SECONDS = 70;

// One statement. Its parts see the same rows: those that it writes and deletes are not among those that it reads.
const EXCHANGE = statement(
  'rates-exchange',
  `WITH clock AS (SELECT ${SESSION_MS} AS now),
   deleted AS (
     DELETE FROM request_rates
     WHERE (node = $1 AND second < (SELECT now FROM clock) / 1000 - ${KEPT_SECONDS})
       OR second < (SELECT now FROM clock) / 1000 - ${ABANDONED_SECONDS}
   ),
   written AS (
     INSERT INTO request_rates (key, node, second, requests, bytes)
     SELECT own.key, $1, (clock.now - own.age) / 1000, own.requests, own.bytes
     FROM clock, unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) AS own (key, requests, bytes, age)
     ON CONFLICT (key, node, second) DO UPDATE
       SET requests = request_rates.requests + excluded.requests, bytes = request_rates.bytes + excluded.bytes
   )
   SELECT key, node, second, requests, bytes, (SELECT now FROM clock) - second * 1000 AS "ageMs" FROM request_rates
   WHERE node <> $1 AND second >= (SELECT now FROM clock) / 1000 - $6::bigint
   ORDER BY second`,
);

/**
 * Writes what node `node` has admitted, and returns what the others have admitted in the last READ_SECONDS, and in the
 * `seconds` seconds before.
 */
export function exchangeRates(
  database: Queryable,
  node: number,
  own: readonly OwnCount[],
  seconds: number,
): Promise<NodeCount[]> {
  return database.query<NodeCount>(EXCHANGE, [
    node,
    own.map(({ key }) => key),
    own.map(({ requests }) => requests),
    own.map(({ bytes }) => bytes),
    own.map(({ ageMs }) => Math.round(Math.min(ageMs, AGE_MS_MAX))),
    Math.min(READ_SECONDS + Math.ceil(seconds), KEPT_SECONDS),
  ]);
}
