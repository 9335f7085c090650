import { sealedBytes } from '../../../../sealing/index.js';
import type { Transaction } from '../../postgres/database.js';
import { type Queryable, statement } from '../../postgres/statement.js';

/** Bytes that encryption adds to a value. */
const SEALING_BYTES = sealedBytes(new Uint8Array());

/** The encrypted values of a chunk, and its lines: `count` lines beginning with line `first` of the batch. */
interface ChunkValues {
  readonly lines: Uint8Array;
  readonly ids: Uint8Array;
  readonly first: number;
  readonly count: number;
}

/** The encrypted result of a line. */
export interface ResultRow {
  readonly line: number;
  readonly sealed: Buffer;
}

// One row in each statement: arrays of bytea are sent as hexadecimal text, which takes twice the memory.
const INSERT_CHUNK = statement(
  'batch-chunk-insert',
  `WITH new_lines AS (INSERT INTO batch_lines (batch, chunk, sealed) VALUES ($1, $2, $3)),
     new_ids AS (INSERT INTO batch_ids (batch, chunk, sealed, first, lines) VALUES ($1, $2, $4, $5, $6))
   INSERT INTO batch_chunks (batch, chunk) VALUES ($1, $2)`,
);

const INSERT_DATA_KEY = statement('data-key-insert', `INSERT INTO data_keys (owner, sealed) VALUES ($1, $2)`);
const DATA_KEY = statement('data-key', `SELECT sealed FROM data_keys WHERE owner = $1`);
const INSERT_WEBHOOK = statement(
  'batch-webhook-insert',
  `INSERT INTO batch_webhooks (batch, sealed) VALUES ($1, $2)`,
);
const WEBHOOK = statement('batch-webhook', `SELECT sealed FROM batch_webhooks WHERE batch = $1`);
const LINES = statement(
  'batch-chunk-lines',
  `SELECT l.sealed AS lines, i.sealed AS ids FROM batch_lines l
   JOIN batch_ids i ON i.batch = l.batch AND i.chunk = l.chunk WHERE l.batch = $1 AND l.chunk = $2`,
);
const IDS = statement(
  'batch-chunk-ids',
  `SELECT sealed, first, lines FROM batch_ids WHERE batch = $1 AND chunk = $2`,
);

// The sum of the lengths before a row bounds the piece; lengths are read without reading the values.
const RESULTS = statement(
  'batch-results',
  `SELECT line, sealed FROM (
     SELECT line, sealed, sum(octet_length(sealed) - $5) OVER (ORDER BY line) - octet_length(sealed) + $5 AS before
     FROM batch_results WHERE batch = $1 AND line >= $2 AND line < $3
   ) AS results WHERE before < $4 ORDER BY line`,
);
const RESULT_LINES = statement(
  'batch-result-lines',
  `SELECT line FROM batch_results WHERE batch = $1 AND line >= $2 AND line < $3`,
);

/** Stores a chunk of a new batch. */
export async function insertChunk(
  sql: Transaction,
  batch: string,
  chunk: number,
  { lines, ids, first, count }: ChunkValues,
): Promise<void> {
  await sql.execute(INSERT_CHUNK, [batch, chunk, bufferOf(lines), bufferOf(ids), first, count]);
}

/** Stores the encrypted data key of an owner. */
export async function insertDataKey(sql: Transaction, owner: string, sealed: Buffer): Promise<void> {
  await sql.execute(INSERT_DATA_KEY, [owner, sealed]);
}

/** The encrypted data key of an owner; undefined if it was deleted. */
export async function dataKey(sql: Queryable, owner: string): Promise<Buffer | undefined> {
  return (await sql.query<{ sealed: Buffer }>(DATA_KEY, [owner]))[0]?.sealed;
}

/** Stores the encrypted webhook address of a batch. */
export async function insertWebhook(sql: Transaction, batch: string, sealed: Buffer): Promise<void> {
  await sql.execute(INSERT_WEBHOOK, [batch, sealed]);
}

/** The encrypted webhook address of a batch. */
export async function webhook(sql: Queryable, batch: string): Promise<Buffer | undefined> {
  return (await sql.query<{ sealed: Buffer }>(WEBHOOK, [batch]))[0]?.sealed;
}

/** The encrypted lines and ids of a chunk; undefined if they were removed. */
export async function chunkLines(
  sql: Queryable,
  batch: string,
  chunk: number,
): Promise<{ readonly lines: Buffer; readonly ids: Buffer } | undefined> {
  return (await sql.query<{ lines: Buffer; ids: Buffer }>(LINES, [batch, chunk]))[0];
}

/** The encrypted ids of a chunk: of `lines` lines, beginning with line `first` of the batch. */
interface ChunkIdsRow {
  readonly sealed: Buffer;
  readonly first: number;
  readonly lines: number;
}

/** The ids of a chunk; undefined if they were removed. */
export async function chunkIds(
  sql: Queryable,
  batch: string,
  chunk: number,
): Promise<ChunkIdsRow | undefined> {
  return (await sql.query<ChunkIdsRow>(IDS, [batch, chunk]))[0];
}

/**
 * The results of the lines from `from` to before `to`, in order. They end with the one that brings their size before
 * encryption to `bytes` bytes or more.
 */
export function resultsBetween(
  sql: Queryable,
  batch: string,
  { from, to, bytes }: { readonly from: number; readonly to: number; readonly bytes: number },
): Promise<ResultRow[]> {
  return sql.query<ResultRow>(RESULTS, [batch, from, to, bytes, SEALING_BYTES]);
}

/** Which lines from `from` to before `to` have a result. */
export async function linesWithResults(
  sql: Queryable,
  batch: string,
  from: number,
  to: number,
): Promise<number[]> {
  return (await sql.query<{ line: number }>(RESULT_LINES, [batch, from, to])).map(({ line }) => line);
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
