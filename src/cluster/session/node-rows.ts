import { DATABASE_FORMAT, type Database, holdFormat, NOW_MS, statement } from '../../postgres/index.js';

/** A session ends when it has had no heartbeat for this many milliseconds. */
export const EXPIRY_MS = 10_000;

/** What a node is called in lists. */
export interface NodeName {
  /** Such as the name of its host. */
  readonly name: string;
  /** The version of the program. */
  readonly version: string;
}

/** What a heartbeat returns. */
export interface Beat {
  /** The session. */
  readonly id: number;
  /** The time of the database in milliseconds since 1970. */
  readonly now: number;
  /** Sessions in the database, this one included. */
  readonly nodes: number;
  /** Whether a session has expired and can be deleted. */
  readonly hasExpired: boolean;
}

const RETURNING = `RETURNING nodes.id, nodes.seen AS now, (SELECT count(*)::int FROM nodes) AS nodes,
  EXISTS (SELECT FROM nodes AS other WHERE other.expires < ${NOW_MS}) AS "hasExpired"`;

const REGISTER = statement(
  'session-register',
  `INSERT INTO nodes (name, version, format, started, seen, expires)
   SELECT $1, $2, $3::int, now, now, now + $4::bigint FROM (SELECT ${NOW_MS} AS now) AS clock ${RETURNING}`,
);

const BEAT = statement(
  'session-heartbeat',
  `UPDATE nodes SET seen = clock.now, expires = clock.now + $2::bigint
   FROM (SELECT ${NOW_MS} AS now) AS clock WHERE id = $1 ${RETURNING}`,
);

/** Adds a session. Throws OperatorError if the database has another format; DatabaseUnavailable. */
export function register(database: Database, { name, version }: NodeName): Promise<Beat> {
  return database.transaction(async (transaction) => {
    await holdFormat(transaction);
    const values = [name, version, DATABASE_FORMAT, EXPIRY_MS];
    const [row] = (await transaction.query<Beat>(REGISTER, values)) as [Beat];
    // The statement does not see its own row.
    return { ...row, nodes: row.nodes + 1 };
  });
}

/** Extends a session; null if it has ended. Throws DatabaseUnavailable. */
export async function beat(database: Database, session: number): Promise<Beat | null> {
  const [row] = await database.query<Beat>(BEAT, [session, EXPIRY_MS]);
  return row ?? null;
}
