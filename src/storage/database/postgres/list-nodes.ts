import { UNCONFIRMED_SESSION_MS } from './calendar-sql.js';
import { type Queryable, statement } from './statement.js';

/** A session of a server that shares the database. */
interface NodeEntry {
  readonly id: number;
  readonly name: string;
  readonly version: string;
  /** Milliseconds since 1970 by the calendar of the cluster, as `seen`. */
  readonly started: number;
  /** The last time that it renewed its session. */
  readonly seen: number;
  /** How far the clock of its host is ahead of the calendar, in milliseconds. */
  readonly ahead: number;
  /** Whether the session has not expired. */
  readonly serves: boolean;
}

const NODES = statement(
  'nodes',
  `SELECT id, name, version, nodes.started - shift AS started, seen - shift AS seen, ahead,
     expires > ${UNCONFIRMED_SESSION_MS} AS serves
   FROM nodes, (SELECT coalesce((SELECT shift FROM calendar), 0) AS shift) AS jumps ORDER BY nodes.started, name`,
);

/** The sessions in the database, oldest first, including expired ones that no server has removed yet. */
export const listNodes = (database: Queryable): Promise<NodeEntry[]> => database.query<NodeEntry>(NODES);
