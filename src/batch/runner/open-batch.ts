import type { BatchLine } from '../batch-line.js';
import type { Batch } from '../lifecycle/index.js';
import type { SealedBatch } from '../sealed-batch.js';
import { orderByState } from './order.js';

/** A batch that has not finished: which of its lines have a result, and which one is next. */
export class OpenBatch {
  /** Lines given to the engine that have not come back. */
  inProgress = 0;
  /** Its lines cannot be read: it waits until its window ends. */
  isDamaged = false;
  private readonly resolved: Uint8Array;
  private resolvedCount = 0;
  /** Lines read ahead: one chunk, so that memory does not grow with the batch. */
  private window: BatchLine[] = [];
  private again: BatchLine[] = [];
  private nextChunk = 0;

  /** `resolved`: the lines that have a result already. */
  constructor(
    public batch: Batch,
    readonly sealed: SealedBatch,
    resolved: Iterable<number> = [],
  ) {
    this.resolved = new Uint8Array(batch.lines);
    for (const index of resolved) this.resolve(index);
  }

  /** Whether no line is in progress or left. */
  get isResolved(): boolean {
    return this.resolvedCount === this.batch.lines;
  }

  /** The next line to start, not taken; undefined while none is left to start. Throws StoreError. */
  peek(): BatchLine | undefined {
    if (this.again.length > 0) return this.again[0];
    while (this.window.length === 0 && this.nextChunk < this.batch.chunks) {
      const lines = this.sealed.lines(this.nextChunk);
      this.nextChunk += 1;
      this.window = orderByState(lines.filter(({ index }) => this.resolved[index] === 0)).reverse();
    }
    return this.window.at(-1);
  }

  /** Takes the line that `peek` has shown. */
  take(): void {
    if (this.again.length > 0) this.again.shift();
    else this.window.pop();
  }

  /** A line is to be tried again, before all others. */
  tryAgain(line: BatchLine): void {
    this.again.push({ ...line, tries: line.tries + 1 });
  }

  /** A line has its result. */
  resolve(index: number): void {
    if (this.resolved[index] === 1) throw new Error(`line ${index} of a batch has two results`);
    this.resolved[index] = 1;
    this.resolvedCount += 1;
  }
}
