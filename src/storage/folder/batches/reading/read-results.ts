import { type ResultsAnswer, type ResultsTask, resultsPiece } from '../../../../batch/index.js';
import type { Store } from '../../lmdb/store.js';
import { SealedBatch } from '../sealed-batch.js';

/** Reads results of a finished batch; see `resultsPiece`. Throws StoreError if the batch has been deleted. */
export function readResults(store: Store, task: ResultsTask): ResultsAnswer {
  const { batch, dataKey, from } = task;
  const sealed = new SealedBatch(store, { id: batch.id, dataKey });
  sealed.checkExists();
  return resultsPiece(task, sealed.ids(from.chunk), (line) => sealed.result(line));
}
