import pg from 'pg';
import { InexactBigint } from './postgres-types.js';

/**
 * The database cannot be used at the moment: it cannot be reached, it is stopping, it is full, or it did not answer in
 * time. Nothing was written, unless it is a `CommitUnknown`. The same call may succeed later.
 */
export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable';

  /** @param code the SQLSTATE, or the code of the network error; for logs and metrics */
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

/** A COMMIT got no answer: the transaction may have been written or not. See `certainTransaction`. */
export class CommitUnknown extends DatabaseUnavailable {
  override readonly name: string = 'CommitUnknown';

  /** @param failure a sentence that says what happened to the connection */
  constructor(
    readonly failure: string,
    code: string,
  ) {
    super(`${failure} The change may have been made or not.`, code);
  }
}

/**
 * The database refused a statement: a defect of this program or of the schema. The message has no values, which may be
 * callers' data, only the names of the statement and the constraint.
 */
export class StatementError extends Error {
  override readonly name = 'StatementError';

  constructor(
    message: string,
    /** The SQLSTATE. */
    readonly code: string,
    readonly constraint: string | undefined,
  ) {
    super(message);
  }
}

/**
 * SQLSTATEs of a table, column, function or schema that does not exist. Somebody has changed what decider made: nothing can
 * be written until it is back, and then nothing is lost.
 */
const MISSING: ReadonlySet<string> = new Set(['42P01', '42703', '42883', '3F000']);

/** SQLSTATE of a statement that took too long. */
const CANCELLED = '57014';

/** SQLSTATEs of a conflict with a concurrent transaction, after which the whole transaction can be run again. */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01']);

/** SQLSTATEs, or their first two characters, of a database that cannot be used at the moment, and what they mean. */
const UNAVAILABLE: Readonly<Record<string, string>> = {
  '08': 'The connection to the database failed',
  '25006': 'The database is read-only: store.url must name the primary server',
  '25P03': 'The database ended a transaction that was idle for too long',
  '25P04': 'The database ended a transaction that took too long',
  '28000':
    'The database rejects connections from this host for the user in store.url: create the role with LOGIN, or add an entry for it to pg_hba.conf',
  '28': 'The database rejected the user name or password in store.url',
  '3D000': 'The database named in store.url does not exist',
  '40003': 'The database cannot tell whether a statement was executed',
  '42501':
    'The user in store.url lacks a privilege on the database or its tables: make it the owner of the database',
  '53100': 'The disk of the database is full',
  '53200': 'The database is out of memory',
  '53300': 'The database accepts no more connections: lower store.connections or raise its max_connections',
  '53': 'The database is out of resources',
  '55P03': 'A lock in the database was not available in time',
  [CANCELLED]: 'The database did not complete a statement in time',
  '57': 'The database is stopping or starting',
  '58': 'The system that the database runs on failed',
};

export const POOLED =
  'store.url leads to a connection pooler in transaction or statement mode, and each connection must keep its session (LISTEN, prepared statements, time limits): set pool_mode = session, or connect directly';

/**
 * Errors of poolers, which give all of them SQLSTATE 08P01 (PgBouncer) or another one of the protocol: the beginning of
 * their message, and what it means. `NAME` stands for the last word of the message, the name of a setting.
 */
const POOLER: readonly (readonly [beginning: string, meaning: string])[] = [
  [
    'unsupported startup parameter',
    'The connection pooler in store.url refused the startup parameter NAME: add it to its ignore_startup_parameters',
  ],
  ['transaction blocks not allowed', POOLED],
  [
    'no more connections allowed',
    'The connection pooler accepts no more connections: raise its max_client_conn',
  ],
  [
    'query_wait_timeout',
    'The connection pooler had no connection to the database in time: raise its default_pool_size',
  ],
  ['client_login_timeout', 'The connection pooler did not complete the login in time'],
  ['server login has been failing', 'The connection pooler cannot connect to the database'],
  ['pgbouncer cannot connect to server', 'The connection pooler cannot connect to the database'],
  ['no such database', 'The connection pooler does not have the database named in store.url'],
  [
    'bouncer config error',
    'The connection pooler is configured wrongly for the user or database in store.url',
  ],
  ['no such user', 'The connection pooler does not have the user named in store.url'],
  ['password authentication failed', 'The database rejected the user name or password in store.url'],
  ['database does not allow connections', 'The connection pooler has disabled the database in store.url'],
  ['database is being', 'The connection pooler has closed the database in store.url'],
  ['the database system is', 'The database is stopping or starting'],
  ['shutting down', 'The connection pooler is stopping'],
];

/** The name of a PostgreSQL setting, which may be quoted. */
const SETTING = /^[A-Za-z_][\w.]{0,62}$/;

/** Codes of network and TLS errors, and what they mean. */
const NETWORK: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host name in store.url cannot be resolved',
  EAI_AGAIN: 'The host name in store.url cannot be resolved at the moment',
  ECONNREFUSED: 'The database server in store.url does not accept connections',
  ENOENT: 'The database has no Unix socket in the folder and for the port that store.url names',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the database is not trusted: set store.ca',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate of the database is not trusted: set store.ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate of the database is not trusted: set store.ca',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate of the database is not trusted: set store.ca',
  CERT_HAS_EXPIRED: 'The certificate of the database has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the database is for another host name',
};

/** Node's codes of a connection that failed, in the socket or in TLS. Its other codes mean a wrong call. */
const SOCKET = /^(E[A-Z]+|ERR_(SSL|TLS|STREAM|SOCKET)_\w+)$/;
/** Messages of pg about a connection that failed, which have no code: the beginning, the code used here, the meaning. */
const MESSAGES: readonly (readonly [beginning: string, code: string, meaning: string])[] = [
  ['Connection terminated due to', 'timeout', 'The database did not accept a connection in time'],
  ['timeout expired', 'timeout', 'The database did not accept a connection in time'],
  ['timeout exceeded', 'busy', 'No connection to the database became free in time'],
  ['Query read timeout', 'timeout', 'The database did not answer in time'],
  ['Connection terminated', 'closed', 'The connection to the database failed'],
  ['Client was closed', 'closed', 'The connection to the database failed'],
  ['Client has encountered', 'closed', 'The connection to the database failed'],
  [
    'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be',
    'no_password',
    'The database requires a password, and store.url has none',
  ],
  [
    'The server does not support SSL',
    'no_tls',
    'The database does not support TLS: enable it there, or add sslmode=disable to store.url',
  ],
];

/** SQLSTATE of a number that is too large. */
const OUT_OF_RANGE = '22003';

/** Whether a transaction that failed with an error can be run again. */
export const isConflict = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && CONFLICTS.has(error.code ?? '');

/** The DatabaseUnavailable for the error of an attempt to connect. */
export function connectError(error: unknown): DatabaseUnavailable {
  const known = unavailable(error);
  if (known !== null) return known;
  // Errors of the TLS library and of the protocol: their texts name neither user nor password.
  const { code = 'connection', message } = error as NodeJS.ErrnoException;
  return new DatabaseUnavailable(`The database cannot be reached: ${message}.`, code);
}

/**
 * Whether an error is that of a whole database that cannot be used, which the session of the node reports; not that of a
 * statement that took too long, or whose tables are missing, while others succeed.
 */
export const isOutage = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable && error.code !== CANCELLED && !MISSING.has(error.code);

/** The error of a statement: DatabaseUnavailable, StatementError, or the error itself if the database is not its cause. */
export function statementError(error: unknown, statement: string): unknown {
  const known = unavailable(error);
  if (known !== null) return known;
  if (error instanceof InexactBigint)
    return new StatementError(
      `The answer of the database to the statement ${statement} has a number beyond ±2^53, which decider never stores. Correct the row in the database.`,
      OUT_OF_RANGE,
      undefined,
    );
  if (!(error instanceof pg.DatabaseError)) return error;
  const { code = 'unknown', constraint } = error;
  // The message of a syntax error or of an unknown name has no values.
  const detail = code.startsWith('42')
    ? `: ${error.message}`
    : constraint
      ? `, constraint ${constraint}`
      : '';
  return new StatementError(
    `The database refused the statement ${statement} (SQLSTATE ${code}${detail}).`,
    code,
    constraint,
  );
}

/** The error of a COMMIT. Only an error with which PostgreSQL has certainly rolled back is not `CommitUnknown`. */
export function commitError(error: unknown): StatementError | CommitUnknown {
  const known = statementError(error, 'commit');
  if (known instanceof StatementError) return known;
  const { message, code } = connectError(known);
  return new CommitUnknown(message, code);
}

function unavailable(error: unknown): DatabaseUnavailable | null {
  if (error instanceof DatabaseUnavailable) return error;
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  if (error instanceof pg.DatabaseError) {
    // The message has the name of what is missing, and no values.
    const missing = MISSING.has(code)
      ? `The tables in the database are not those that decider made: ${message}`
      : undefined;
    const meaning =
      missing ?? poolerMeaning(code, message) ?? UNAVAILABLE[code] ?? UNAVAILABLE[code.slice(0, 2)];
    return meaning === undefined ? null : new DatabaseUnavailable(`${meaning} (SQLSTATE ${code}).`, code);
  }
  if (NETWORK[code] !== undefined) return new DatabaseUnavailable(`${NETWORK[code]} (${code}).`, code);
  if (SOCKET.test(code))
    return new DatabaseUnavailable(`The connection to the database failed (${code}).`, code);
  const [, kind = '', meaning] = MESSAGES.find(([beginning]) => message.startsWith(beginning)) ?? [];
  return meaning === undefined ? null : new DatabaseUnavailable(`${meaning} (${kind}).`, kind);
}

function poolerMeaning(code: string, message: string): string | undefined {
  if (!code.startsWith('08') && code !== '58000') return undefined;
  const [, meaning] = POOLER.find(([beginning]) => message.toLowerCase().startsWith(beginning)) ?? [];
  const name = message.split(' ').at(-1) ?? '';
  return meaning?.replace('NAME', SETTING.test(name) ? name : 'of an unknown name');
}
