import { type Batch, type LineAborts, type LineTries, mayStart } from '../../../../batch/index.js';
import { SESSION_MS, SETTLED_MS } from '../../postgres/calendar-sql.js';
import type { Transaction } from '../../postgres/database.js';
import { type Queryable, statement } from '../../postgres/statement.js';
import { type LockedBatch, lockBatch } from './batch-table.js';
import { MAY_START } from './conditions.js';
import { linesWithResults } from './values.js';

/** A chunk that a node has claimed: only this node runs its lines. */
interface ClaimedChunk {
  readonly chunk: number;
  /** Its lines: `lines` lines beginning with line `first` of the batch. */
  readonly first: number;
  readonly lines: number;
}

/** What a node claimed with one call. */
export interface Claim {
  readonly batch: Batch;
  readonly chunk: ClaimedChunk;
  /** Lines of the chunk that have a result. */
  readonly resolved: readonly number[];
  /** Lines of the chunk that were in progress when the engine aborted its process. */
  readonly aborts: ReadonlyArray<LineAborts & { readonly line: number }>;
  /** The tries of lines of the chunk when it was given back last. Some of these lines may have a result. */
  readonly tried: readonly LineTries[];
}

/** How many batches one claim tries: other nodes may have claimed the chunks of the first of them. */
const CANDIDATES_MAX = 4;

// Batches with a chunk to claim: by the turns of their keys, then oldest first. They are sorted before chunks are looked up,
// so that the look-ups end with the last candidate.
const CANDIDATES = statement(
  'batch-claim-candidates',
  `SELECT waiting.id, waiting.key, waiting.models FROM (
     SELECT b.id, b.key, b.number, b.models, coalesce(t.turn, 0) AS turn
     FROM batches b LEFT JOIN batch_turns t ON t.key = b.key
     WHERE b.${MAY_START} AND b.expires > ${SETTLED_MS}
       AND NOT (b.key = ANY($1::text[]) OR b.id = ANY($2::text[]) OR b.models && $3::text[])
     ORDER BY turn, b.key, b.number
   ) AS waiting
   CROSS JOIN LATERAL (
     SELECT 1 FROM batch_chunks c WHERE c.batch = waiting.id AND c.open AND c.node IS NULL LIMIT 1
   ) AS chunk
   ORDER BY waiting.turn, waiting.key, waiting.number LIMIT ${CANDIDATES_MAX}`,
);

const CLAIM = statement(
  'batch-claim',
  `UPDATE batch_chunks c SET node = $2 FROM batch_ids i
   WHERE c.batch = $1 AND i.batch = c.batch AND i.chunk = c.chunk AND c.chunk = (
     SELECT chunk FROM batch_chunks WHERE batch = $1 AND open AND node IS NULL ORDER BY chunk LIMIT 1
   ) RETURNING c.chunk, i.first, i.lines, c.tried`,
);

// The time in microseconds, so that nodes need no common counter. The turn of a key never decreases.
const TURN = statement(
  'batch-turn',
  `INSERT INTO batch_turns (key, turn) VALUES ($1, ${SESSION_MS} * 1000)
   ON CONFLICT (key) DO UPDATE SET turn = greatest(batch_turns.turn + 1, excluded.turn)`,
);

const CLAIMED = statement('batch-claimed', 'SELECT batch, chunk FROM batch_chunks WHERE node = $1');

const ABORTS = statement(
  'batch-aborts',
  `SELECT line, count, last, reason FROM batch_aborts WHERE batch = $1 AND line >= $2 AND line < $3`,
);

/** What a search for candidates leaves out. */
interface Skipped {
  readonly keys: readonly string[];
  readonly batches: readonly string[];
  /** Batches that name one of these models or builds. */
  readonly models: readonly string[];
}

/** At most CANDIDATES_MAX batches that have a chunk to claim: by the turns of their keys, then oldest first. */
export function claimCandidates(
  sql: Queryable,
  { keys, batches, models }: Skipped,
): Promise<ReadonlyArray<Pick<Batch, 'id' | 'key' | 'models'>>> {
  return sql.query(CANDIDATES, [keys, batches, models]);
}

/**
 * Claims the first chunk of a batch that no node has claimed, and ends the turn of its key. Null: there is none, or the
 * batch no longer runs. The transaction must have checked that the session `node` exists.
 */
export async function claimChunk(sql: Transaction, id: string, node: number): Promise<Claim | null> {
  // The lock waits for a concurrent cancel, which may remove the chunks.
  const { batch } = (await lockBatch(sql, id)) ?? ({} as Partial<LockedBatch>);
  if (batch === undefined || !mayStart(batch)) return null;
  const [row] = await sql.query<ClaimedChunk & { tried: string | null }>(CLAIM, [id, node]);
  if (row === undefined) return null;
  const { tried, ...chunk } = row;
  await sql.execute(TURN, [batch.key]);
  const { first, lines } = chunk;
  const resolved = await linesWithResults(sql, id, first, first + lines);
  const aborts = await sql.query<LineAborts & { line: number }>(ABORTS, [id, first, first + lines]);
  return { batch, chunk, resolved, aborts, tried: tried === null ? [] : JSON.parse(tried) };
}

/** The chunks that a session has claimed. */
export function claimedChunks(
  sql: Queryable,
  node: number,
): Promise<ReadonlyArray<{ readonly batch: string; readonly chunk: number }>> {
  return sql.query(CLAIMED, [node]);
}
