import type pg from 'pg';
import { connectError, DatabaseUnavailable } from './database-errors.js';

/** The database cancels a statement after this many milliseconds, including its waits for locks. */
export const STATEMENT_MS_MAX = 10_000;
/** The database ends a transaction whose client has been silent for this many milliseconds, and so frees its locks. */
const SILENT_MS_MAX = 5_000;
/** The longest wait, in milliseconds, for each of the two answers while a session is prepared. */
const ANSWER_MS_MAX = 5_000;

/** A setting of each session, as PostgreSQL shows it. */
interface SessionSetting {
  readonly name: string;
  readonly value: string;
  /** Other values that are kept. */
  readonly kept?: readonly string[];
  /** Versions of PostgreSQL without the setting are supported. */
  readonly isOptional?: true;
}

/**
 * What this program relies on. A role, a database and a server can have other defaults, and a pooler drops what a client
 * sends when it connects, so each setting is set after connecting and read back.
 *
 * `default_transaction_read_only` is missing: it is how providers and failover tools stop writes.
 */
export const SESSION_SETTINGS: readonly SessionSetting[] = [
  { name: 'statement_timeout', value: `${STATEMENT_MS_MAX / 1_000}s` },
  { name: 'idle_in_transaction_session_timeout', value: `${SILENT_MS_MAX / 1_000}s` },
  // Other limits would end migrations, moves, waits for locks and the connection that listens.
  { name: 'lock_timeout', value: '0' },
  { name: 'idle_session_timeout', value: '0' },
  { name: 'transaction_timeout', value: '0', isOptional: true },
  // A commit that was answered must survive a crash.
  { name: 'synchronous_commit', value: 'on', kept: ['remote_apply'] },
  { name: 'default_transaction_isolation', value: 'read committed' },
  { name: 'search_path', value: 'public' },
  // How values are written in statements and in results.
  { name: 'client_encoding', value: 'UTF8' },
  { name: 'standard_conforming_strings', value: 'on' },
  { name: 'array_nulls', value: 'on' },
  { name: 'bytea_output', value: 'hex' },
  { name: 'extra_float_digits', value: '1' },
  { name: 'TimeZone', value: 'UTC' },
  { name: 'DateStyle', value: 'ISO, MDY' },
  { name: 'IntervalStyle', value: 'postgres' },
];

/**
 * Sets the settings of a new connection, and reads them back. Throws DatabaseUnavailable, also if the session does not keep
 * them.
 */
export async function prepareSession(client: pg.ClientBase): Promise<void> {
  try {
    await client.query(within(SET));
    const { rows } = await client.query<Readonly<Record<string, string | null>>>(within(READ));
    for (const setting of SESSION_SETTINGS) requireKept(setting, rows[0]?.[setting.name] ?? null);
  } catch (error) {
    throw connectError(error);
  }
}

const within = (text: string) => ({ text, query_timeout: ANSWER_MS_MAX });

function requireKept({ name, value, kept = [], isOptional }: SessionSetting, found: string | null): void {
  if (found === value || kept.includes(found ?? '') || (found === null && isOptional)) return;
  throw new DatabaseUnavailable(
    `The setting ${name} of a connection to the database is ${found}, although it was set to ${value}: connect directly, or through a pooler in session mode.`,
    'session',
  );
}

function setterOf({ name, value, kept = [], isOptional }: SessionSetting): string {
  const current = `current_setting('${name}', true)`;
  const list = kept.map((each) => `'${each}'`).join(', ');
  const next =
    kept.length === 0
      ? `'${value}'`
      : `CASE WHEN ${current} IN (${list}) THEN ${current} ELSE '${value}' END`;
  const set = `set_config('${name}', ${next}, false)`;
  return isOptional ? `CASE WHEN ${current} IS NOT NULL THEN ${set} END` : set;
}

// A pooler that does not reset sessions may have kept the prepared statements of an earlier client.
const SET = `DEALLOCATE ALL; SELECT ${SESSION_SETTINGS.map(setterOf).join(', ')}`;
const READ = `SELECT ${SESSION_SETTINGS.map(({ name }) => `current_setting('${name}', true) AS "${name}"`).join(', ')}`;
