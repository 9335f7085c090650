import { StoreError } from '../../../../base/index.js';
import { type Batch, isFinished } from '../../../../batch/index.js';
import type { Store } from '../../lmdb/store.js';
import type { Sealer } from '../../master-key/sealer.js';
import { SealedBatch } from '../sealed-batch.js';

/** Reports what is wrong, in one sentence. */
export type Report = (problem: string) => void;

const ANSWERED = 200;

/** Reads everything stored of a batch that is not being deleted: every value opens, and the counts match the lines. */
export function verifyBatch(store: Store, sealer: Sealer, batch: Batch, report: Report): void {
  const problem: Report = (sentence) => report(`${batch.id}: ${sentence}`);
  if (store.table('batch_order').get(batch.key, batch.number) !== batch.id) {
    problem(`number ${batch.number} of ${batch.key} is missing or another batch.`);
  }
  const sealed = attempt(() => SealedBatch.open(store, sealer, batch), problem);
  if (sealed === undefined) problem('it has no data key that opens.');
  if (sealed === undefined) return;
  const ids = verifyChunks(sealed, batch, problem);
  verifyResults(store, sealed, batch, ids, problem);
  const webhook = attempt(() => sealed.webhook(), problem);
  if ((webhook === undefined) !== (batch.webhook === null))
    problem('its webhook address is missing or not its own.');
}

/** Returns the custom ids of the lines, in order. Lines themselves are stored until the batch finishes. */
function verifyChunks(sealed: SealedBatch, batch: Batch, problem: Report): string[] {
  const all: string[] = [];
  for (let chunk = 0; chunk < batch.chunks; chunk += 1) {
    attempt(() => {
      const { first, ids } = sealed.ids(chunk);
      if (first !== all.length) problem(`chunk ${chunk} begins with line ${first}, not ${all.length}.`);
      all.push(...ids.map(([customId]) => customId));
      if (isFinished(batch)) return;
      const bodies = sealed.lines(chunk).filter(({ body }) => body.length > 0);
      if (bodies.length !== ids.length)
        problem(`chunk ${chunk} has ${bodies.length} of ${ids.length} lines.`);
    }, problem);
  }
  if (all.length !== batch.lines) problem(`it has the ids of ${all.length} of ${batch.lines} lines.`);
  return all;
}

function verifyResults(
  store: Store,
  sealed: SealedBatch,
  batch: Batch,
  ids: readonly string[],
  problem: Report,
): void {
  let [results, answered] = [0, 0];
  for (const [, line] of store.table('batch_results').keys(batch.id) as Iterable<[string, number]>) {
    results += 1;
    attempt(() => {
      const { custom_id, status } = JSON.parse(String(sealed.result(line))) as Record<string, unknown>;
      if (status === ANSWERED) answered += 1;
      if (custom_id !== ids[line]) problem(`the result of line ${line} is that of another line.`);
    }, problem);
  }
  if (answered !== batch.done) problem(`${answered} lines are answered, and ${batch.done} are counted.`);
  // When a batch finishes, lines without a result count as failed.
  const failed = (isFinished(batch) ? batch.lines : results) - answered;
  if (failed !== batch.failed) problem(`${failed} lines have failed, and ${batch.failed} are counted.`);
}

function attempt<Result>(use: () => Result, problem: Report): Result | undefined {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof StoreError) && !(error instanceof SyntaxError)) throw error;
    problem(error.message);
    return undefined;
  }
}
