import type { Abort } from '../engine/index.js';
import type { Store, Value } from '../store/index.js';
import { isFinished } from './lifecycle/transitions.js';

/**
 * A line fails when the engine has ended the process this many times while the line was in progress. After the first
 * time it runs alone, because another line may have been the cause.
 */
export const ABORTS_MAX = 2;

/** What is stored of a line that was in progress when llama.cpp ended the process. */
export type LineAborts = Value<'batch_aborts'>;

/** The name of a line in the record of what engine threads compute. */
export const lineLabel = (batch: string, line: number): string => `${batch} ${line}`;

const LABEL = /^(batch_[A-Za-z0-9]{24}) (\d{1,6})$/;

/** The lines that labels name: of each, its batch and its position in it. */
export function linesOfLabels(labels: readonly string[]): Array<readonly [batch: string, line: number]> {
  return labels.flatMap((label) => {
    const [, batch, line] = LABEL.exec(label) ?? [];
    return batch === undefined ? [] : [[batch, Number(line)] as const];
  });
}

/** Counts an abort for every line that was in progress and has no result. Returns how many. Throws StoreError. */
export function countAbort(store: Store, { id, reason, labels }: Abort): number {
  return store.change(() => {
    const open = linesOfLabels(labels).filter(([batch, line]) => isOpen(store, batch, line));
    for (const key of open) {
      const before = store.table('batch_aborts').get(...key);
      // Counted already, by a process that ended before it could remove the report.
      if (before?.last === id) continue;
      store.table('batch_aborts').put(key, { count: (before?.count ?? 0) + 1, last: id, reason });
    }
    return open.length;
  });
}

function isOpen(store: Store, batch: string, line: number): boolean {
  const found = store.table('batches').get(batch);
  if (found === undefined || isFinished(found) || line >= found.lines) return false;
  return store.table('batch_results').get(batch, line) === undefined;
}
