import { SESSION_MS } from '../postgres/calendar-sql.js';
import { type Queryable, statement } from '../postgres/statement.js';

/** Requests of a key. */
export interface KeyCount {
  readonly key: string;
  readonly requests: number;
  readonly bytes: number;
}

/** What a node has admitted of a key in one second. */
export interface NodeCount extends KeyCount {
  readonly node: number;
  /** Seconds of the time of sessions. */
  readonly second: number;
}

/** Rows are read for this many seconds. */
const READ_SECONDS = 5;
/** Rows of a node that has died meanwhile are deleted after this many seconds. */
const KEPT_SECONDS = 60;

// One statement. Its parts see the same rows: those that it writes and deletes are not among those that it reads.
const EXCHANGE = statement(
  'rates-exchange',
  `WITH clock AS (SELECT ${SESSION_MS} / 1000 AS second),
   deleted AS (
     DELETE FROM request_rates
     WHERE (node = $1 AND second < (SELECT second FROM clock) - ${READ_SECONDS})
       OR second < (SELECT second FROM clock) - ${KEPT_SECONDS}
   ),
   written AS (
     INSERT INTO request_rates (key, node, second, requests, bytes)
     SELECT own.key, $1, clock.second, own.requests, own.bytes
     FROM clock, unnest($2::text[], $3::bigint[], $4::bigint[]) AS own (key, requests, bytes)
     WHERE EXISTS (SELECT FROM nodes WHERE id = $1)
     ON CONFLICT (key, node, second) DO UPDATE
       SET requests = request_rates.requests + excluded.requests, bytes = request_rates.bytes + excluded.bytes
   )
   SELECT key, node, second, requests, bytes FROM request_rates
   WHERE node <> $1 AND second >= (SELECT second FROM clock) - ${READ_SECONDS}`,
);

/** Writes what this node has admitted, and returns what the others have admitted in the last READ_SECONDS. */
export function exchangeRates(
  database: Queryable,
  session: number,
  own: readonly KeyCount[],
): Promise<NodeCount[]> {
  return database.query<NodeCount>(EXCHANGE, [
    session,
    own.map(({ key }) => key),
    own.map(({ requests }) => requests),
    own.map(({ bytes }) => bytes),
  ]);
}
