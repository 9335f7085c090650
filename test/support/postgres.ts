import tap, { type Test } from 'tap';
import { Database, type DatabaseSettings } from '../../src/storage/database/index.js';
import { PostgresServer, programs } from './postgres-server.js';

export { PostgresServer } from './postgres-server.js';

/** Options of a test that needs PostgreSQL: it is skipped, with a warning, where none is installed. */
export const NEEDS_POSTGRES: { readonly skip?: string } =
  programs === null ? { skip: 'PostgreSQL is not installed (apt-get install postgresql)' } : {};
if (programs === null) console.error('WARNING: PostgreSQL is not installed. Its tests are skipped.');

let shared: Promise<PostgresServer> | null = null;

/** The server of this file of tests, started by the first call and stopped after the last test. */
export function postgres(): Promise<PostgresServer> {
  shared ??= PostgresServer.create();
  return shared;
}

tap.teardown(async () => (await shared)?.remove());

/** A pool of connections to a database, closed with the test. */
export function connectTo(t: Test, url: string, settings: Partial<DatabaseSettings> = {}): Database {
  const database = new Database({ url, connections: 5, ca: '', ...settings });
  t.teardown(() => database.close());
  return database;
}

/** A new database with the tables of this version on the file's server, and a pool of connections to it. */
export async function newDatabase(t: Test): Promise<{ readonly url: string; readonly database: Database }> {
  const url = await (await postgres()).createDatabase();
  return { url, database: connectTo(t, url) };
}
