import {
  type ChunkTask,
  openChunk,
  openIds,
  openResult,
  type ResultsTask,
  resultsPiece,
  type StoredChunk,
} from '../../../../batch/index.js';
import type { ResultRow } from '../tables/values.js';

/** A chunk of lines to decrypt. */
interface ChunkToOpen {
  readonly task: ChunkTask;
  readonly stored: StoredChunk;
}

/** Results to decrypt: of the lines that the next piece of a download may contain. */
interface ResultsToOpen {
  readonly task: ResultsTask;
  /** The encrypted ids of the chunk. */
  readonly ids: Uint8Array;
  readonly results: readonly ResultRow[];
}

/** The tasks of the thread that decrypts stored values. It does not read the database. */
const TASKS = {
  chunk: ({ task, stored }: ChunkToOpen) => openChunk(task, stored),
  results: ({ task, ids, results }: ResultsToOpen) => {
    const key = { id: task.batch.id, dataKey: task.dataKey };
    const sealed = new Map(results.map((row) => [row.line, row.sealed]));
    return resultsPiece(task, openIds(key, task.from.chunk, ids), (line) => {
      const value = sealed.get(line);
      return value && openResult(key, line, value);
    });
  },
};

type OpenName = keyof typeof TASKS;
export type OpenTask<Name extends OpenName> = Parameters<(typeof TASKS)[Name]>[0];
export type OpenAnswer<Name extends OpenName> = ReturnType<(typeof TASKS)[Name]>;

/** A task for the opening thread. */
export interface OpenCall {
  readonly name: OpenName;
  readonly task: OpenTask<OpenName>;
}

/** Decrypts values. Throws StoreError if one is damaged, except for `chunk`, whose answer says so. */
export function openValues({ name, task }: OpenCall): OpenAnswer<OpenName> {
  const open = TASKS[name] as (task: OpenTask<OpenName>) => OpenAnswer<OpenName>;
  return open(task);
}
