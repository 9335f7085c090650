import pg from 'pg';
import { test } from 'tap';
import {
  CommitUnknown,
  DatabaseUnavailable,
  StatementError,
} from '../../../../src/storage/database/index.js';
import {
  commitError,
  connectError,
  isConflict,
  statementError,
} from '../../../../src/storage/database/postgres/database-errors.js';
import { InexactBigint } from '../../../../src/storage/database/postgres/postgres-types.js';

const refused = (code: string) => Object.assign(new pg.DatabaseError('of secret', 0, 'error'), { code });
const missing = (code: string) =>
  Object.assign(new pg.DatabaseError('relation "usage" does not exist', 0, 'error'), { code });
const failed = (code: string) => Object.assign(new Error('write'), { code });

test('which errors mean that the database cannot be used, and which are defects', async (t) => {
  const unavailable = [
    ...[
      '08006',
      '08P01',
      '25006',
      '25P03',
      '25P04',
      '28000',
      '28P01',
      '3D000',
      '40003',
      '42501',
      '53000',
      '53100',
    ],
    ...['53200', '53300', '53400', '55P03', '57014', '57P01', '57P02', '57P03', '57P05', '58030'],
  ].map(refused);
  const network = [
    ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
    ...['ERR_SSL_BAD_RECORD_TYPE', 'ERR_STREAM_DESTROYED', 'CERT_HAS_EXPIRED'],
  ].map(failed);
  const lost = [
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Query read timeout',
    'Client was closed and is not queryable',
    'Client has encountered a connection error and is not queryable',
    'The server does not support SSL connections',
  ];
  for (const error of [...unavailable, ...network, ...lost.map((message) => new Error(message))]) {
    const told = statementError(error, 'name') as DatabaseUnavailable;
    t.equal(told.constructor, DatabaseUnavailable, `${error.message} ${(error as { code?: string }).code}`);
    t.match(told.message, /^[A-Z][^\n]+ \([^()]+\)\.$/);
    t.notMatch(told.message, /secret/);
    t.equal(commitError(error)?.constructor, CommitUnknown);
  }
  for (const code of ['42P01', '42703']) {
    const told = statementError(missing(code), 'name') as DatabaseUnavailable;
    t.match(told, { name: 'DatabaseUnavailable', code, message: /relation "usage" does not exist/ });
  }
  for (const code of ['22003', '23505', '23514', '42601', 'XX000']) {
    t.equal(statementError(refused(code), 'name')?.constructor, StatementError, code);
    t.equal(commitError(refused(code))?.constructor, StatementError, code);
  }
  for (const defect of [new TypeError('x'), new RangeError('x'), failed('ERR_INVALID_ARG_TYPE')]) {
    t.equal(statementError(defect, 'name'), defect);
    t.equal(
      commitError(defect).constructor,
      CommitUnknown,
      'only the database tells that nothing was written',
    );
  }
});

test('every failure to connect is one of the database', async (t) => {
  for (const error of [failed('ERR_OTHER'), new Error('SASL: x'), refused('XX000'), refused('28P01')])
    t.equal(connectError(error).constructor, DatabaseUnavailable);
});

test('only conflicts are worth another attempt', async (t) => {
  for (const code of ['40001', '40P01']) t.ok(isConflict(refused(code)));
  for (const error of [refused('40003'), refused('23505'), failed('40001'), new Error()])
    t.notOk(isConflict(error));
});

test('an answer with a bigint that is not exact names the statement', async (t) => {
  t.match(statementError(new InexactBigint('x'), 'list-keys'), {
    name: 'StatementError',
    message: /^The answer of the database to the statement list-keys has a number beyond ±2\^53/,
    code: '22003',
  });
});
