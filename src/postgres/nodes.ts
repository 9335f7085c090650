import { NOW_MS, type Queryable, statement } from './statement.js';

/** A session of a server that shares the database. */
interface NodeEntry {
  readonly id: number;
  readonly name: string;
  readonly version: string;
  /** Milliseconds since 1970 by the database's clock, as `seen`. */
  readonly started: number;
  /** The last time that it renewed its session. */
  readonly seen: number;
  /** Whether the session has not expired. */
  readonly serves: boolean;
}

const NODES = statement(
  'nodes',
  `SELECT id, name, version, started, seen, expires > ${NOW_MS} AS serves FROM nodes ORDER BY started, name`,
);

/** The sessions in the database, oldest first, including expired ones that no server has removed yet. */
export const listNodes = (database: Queryable): Promise<NodeEntry[]> => database.query<NodeEntry>(NODES);
