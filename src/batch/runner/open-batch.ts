import type { Batch } from '../lifecycle/transitions.js';
import type { OrderedLine } from '../reading/order.js';
import { type ChunkAnswer, linesOf } from '../reading/read-chunk.js';
import type { BatchLine, SealedBatch } from '../sealed-batch.js';
import { Deadline } from './deadline.js';
import type { ReadAhead } from './read-ahead.js';

/** Most lines of a batch that wait to be tried again: an engine that fails them all would have them all in memory. */
export const RETRYING_MAX = 256;

/** Where a line stands. */
const WAITS = 0;
const TAKEN = 1;
const HAS_RESULT = 2;

/** Lines of one chunk that are read ahead, the next one last. */
interface Window {
  readonly chunk: number;
  readonly bytes: number;
  readonly lines: OrderedLine[];
}

/** A batch that has not finished: which of its lines have a result, and which one is next. */
export class OpenBatch {
  /** Lines given to the engine that have not come back. */
  inProgress = 0;
  /** Its lines cannot be read: it waits until its window ends. */
  isDamaged: boolean;
  readonly deadline = new Deadline();
  private readonly lines: Uint8Array;
  private resolvedCount = 0;
  /** One chunk, so that memory does not grow with the batch. */
  private window: Window | null = null;
  private again: BatchLine[] = [];
  /** Chunks before `nextChunk` that have lines to start, and are not in memory. */
  private readonly unread = new Set<number>();
  /** How often lines were tried that are to be read again. */
  private readonly tries = new Map<number, number>();
  /** Lines that wait for their next try. */
  private retrying = 0;
  private nextChunk = 0;
  private hasEnded = false;

  /**
   * @param sealed null where its data key is damaged
   * @param resolved the lines that have a result already
   */
  constructor(
    public batch: Batch,
    readonly sealed: SealedBatch | null,
    resolved: Iterable<number> = [],
  ) {
    this.isDamaged = sealed === null;
    this.lines = new Uint8Array(batch.lines);
    for (const index of resolved) this.resolve(index);
  }

  /** Whether no line is in progress or left. */
  get isResolved(): boolean {
    return this.resolvedCount === this.batch.lines;
  }

  /** The next line to start, not taken, of those in memory. */
  get next(): BatchLine | undefined {
    if (this.again.length > 0) return this.again[0];
    return this.retrying < RETRYING_MAX ? this.window?.lines.at(-1) : undefined;
  }

  /** Whether the next line asks about the state of the one taken before it. */
  get nextSharesState(): boolean {
    return this.again.length === 0 && this.window?.lines.at(-1)?.sharesState === true;
  }

  /** Whether none is in memory, and there are some that are not. */
  get wantsLines(): boolean {
    if (this.again.length > 0 || this.window !== null) return false;
    if (this.hasEnded || this.retrying >= RETRYING_MAX) return false;
    return this.unread.size > 0 || this.nextChunk < this.batch.chunks;
  }

  /** The chunk to read when it wants lines. */
  get chunkToRead(): number {
    return this.unread.size > 0 ? Math.min(...this.unread) : this.nextChunk;
  }

  /** A chunk has been read: its lines that have not started are there. */
  receive(chunk: number, answer: Extract<ChunkAnswer, { ok: true }>, memory: ReadAhead): void {
    if (!this.unread.delete(chunk)) this.nextChunk = chunk + 1;
    if (this.hasEnded) return;
    const lines = linesOf(chunk, answer, (index) => this.lines[index] === WAITS).reverse();
    if (lines.length === 0) return;
    const bytes = answer.text.length;
    this.window = { chunk, bytes, lines };
    memory.add(bytes);
  }

  /** Forgets what is in memory of lines that have not started: they are read again when their turn comes. */
  release(memory: ReadAhead): void {
    for (const line of this.again.splice(0)) {
      memory.add(-line.body.length);
      this.wait(line);
    }
    if (this.window === null) return;
    this.unread.add(this.window.chunk);
    this.close(this.window, memory);
  }

  /** A line that was taken has not started: it waits again, in its place, as what was read with it. */
  putBack(line: BatchLine, memory: ReadAhead): void {
    this.wait(line);
    this.release(memory);
  }

  /** Takes the line that `next` has shown. Its body is in shared memory: threads read it where it is. */
  take(memory: ReadAhead): BatchLine {
    const again = this.again.shift();
    if (again !== undefined) {
      memory.add(-again.body.length);
      return again;
    }
    const window = this.window as Window;
    const { index, chunk, customId, model, body } = window.lines.pop() as OrderedLine;
    const tries = this.tries.get(index) ?? 0;
    this.tries.delete(index);
    this.lines[index] = TAKEN;
    if (window.lines.length === 0) this.close(window, memory);
    return { index, chunk, customId, model, body: ownBody(body), tries };
  }

  /** A line is to be tried again, before all others, when the function returned is called. */
  retry(line: BatchLine, memory: ReadAhead): () => void {
    this.retrying += 1;
    memory.add(line.body.length);
    return () => {
      this.retrying -= 1;
      if (this.hasEnded) memory.add(-line.body.length);
      else this.again.push({ ...line, tries: line.tries + 1 });
    };
  }

  /** No line of it starts any more. */
  end(memory: ReadAhead): void {
    this.hasEnded = true;
    this.release(memory);
  }

  /** A line has its result. */
  resolve(index: number): void {
    if (this.lines[index] === HAS_RESULT) throw new Error(`line ${index} of a batch has two results`);
    this.lines[index] = HAS_RESULT;
    this.resolvedCount += 1;
  }

  private wait({ index, chunk, tries }: BatchLine): void {
    this.lines[index] = WAITS;
    if (tries > 0) this.tries.set(index, tries);
    this.unread.add(chunk);
  }

  private close({ bytes }: Window, memory: ReadAhead): void {
    memory.add(-bytes);
    this.window = null;
  }
}

/**
 * A copy, so that a line in progress does not keep its chunk in memory; but not of one that is most of its chunk: 32
 * MiB take 20 ms, in which nobody else is answered.
 */
function ownBody(body: Buffer): Buffer {
  if (body.length > body.buffer.byteLength / 2) return body;
  const shared = Buffer.from(new SharedArrayBuffer(body.length));
  body.copy(shared);
  return shared;
}
