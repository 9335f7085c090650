import type { Store } from '../../store/index.js';
import { SealedBatch } from '../sealed-batch.js';
import { type ResultsAnswer, type ResultsTask, resultsPiece } from './results-piece.js';

/** Reads results of a finished batch; see `resultsPiece`. Throws StoreError if the batch has been deleted. */
export function readResults(store: Store, task: ResultsTask): ResultsAnswer {
  const { batch, dataKey, from } = task;
  const sealed = new SealedBatch(store, { id: batch.id, dataKey });
  sealed.checkExists();
  return resultsPiece(task, sealed.ids(from.chunk), (line) => sealed.result(line));
}
