import { sharedCopy } from '../../base/index.js';
import type { Batch } from '../lifecycle/batch-transitions.js';
import type { LineAborts } from '../line-aborts.js';
import { type ChunkAnswer, linesOf } from '../reading/open-chunk.js';
import type { OrderedLine } from '../reading/order.js';
import type { BatchKey, BatchLine } from '../sealed-values.js';
import { type ChunkRange, ClaimedChunks } from './claimed-chunks.js';
import { Deadline } from './deadline.js';
import type { ReadAhead } from './read-ahead.js';

/** Maximum number of lines of a batch that wait for a retry. Without it, a failing engine would bring the whole batch into memory. */
export const RETRYING_MAX = 256;

/** The state of a line. */
const WAITS = 0;
const TAKEN = 1;
const HAS_RESULT = 2;

/** The lines of one chunk that were read and have not started, the next line last. */
interface ReadChunk {
  readonly chunk: number;
  readonly bytes: number;
  readonly lines: OrderedLine[];
}

/** What is stored of a line without a result when its chunk is given back, so that its tries are counted on. */
export interface LineTries {
  readonly line: number;
  /** The tries that have ended with a temporary fault. */
  readonly tries: number;
  /** Whether its next wave has no others; see `OpenBatch.suspects`. */
  readonly alone: boolean;
}

/** What is known of a batch when it is opened. */
interface Known {
  /** The lines that already have a result. */
  readonly resolved?: Iterable<number>;
  /** The only chunks that run here. Default: all. */
  readonly chunks?: Iterable<ChunkRange>;
}

/** A batch that has not finished: which lines have a result, and which line is next. */
export class OpenBatch {
  /** Lines that are being prepared or computed. */
  inProgress = 0;
  /** The lines cannot be read: the batch waits until its window ends. */
  isDamaged: boolean;
  /** Lines in progress are neither stored nor charged. See `Runner.drop`. */
  isDropped = false;
  readonly deadline = new Deadline();
  /** Lines without a result that were in progress when the engine ended an earlier process. */
  readonly aborts = new Map<number, LineAborts>();
  /** Lines with which a wave has failed. Their next wave has no others, which they could make fail too. */
  readonly suspects = new Set<number>();
  private readonly lines: Uint8Array;
  private resolvedCount = 0;
  /** The chunks to which the batch is restricted; null: all its chunks run here. */
  readonly claimed: ClaimedChunks | null = null;
  /** One chunk only, so that memory does not grow with the batch. */
  private readChunk: ReadChunk | null = null;
  /** The chunk whose lines were released last, and the model of the first of them. */
  private released: { readonly chunk: number; readonly model: string } | null = null;
  /** Lines whose retry is due; they go before all others. */
  private dueRetries: BatchLine[] = [];
  /** Chunks before `nextChunk` that have lines to start but are not in memory. */
  private readonly unread = new Set<number>();
  /** The tries of lines without a result that have ended with a temporary fault. */
  private readonly tries = new Map<number, number>();
  /** Lines that wait for a retry. */
  private retrying = 0;
  private nextChunk = 0;
  private hasEnded = false;

  /** @param key null: the data key is damaged */
  constructor(
    public batch: Batch,
    readonly key: BatchKey | null,
    { resolved = [], chunks }: Known = {},
  ) {
    this.isDamaged = key === null;
    this.lines = new Uint8Array(batch.lines);
    for (const index of resolved) this.resolve(index);
    if (chunks === undefined) return;
    this.claimed = new ClaimedChunks();
    this.nextChunk = batch.chunks;
    this.addChunks(chunks);
  }

  /** Whether every line of its chunks has its result. */
  get isResolved(): boolean {
    return this.claimed === null ? this.resolvedCount === this.batch.lines : this.claimed.isResolved;
  }

  /** The tries of the lines of a chunk, to be passed to `countOn` where they run next. */
  triesOf({ first, lines }: ChunkRange): readonly LineTries[] {
    const found = new Set([...this.tries.keys(), ...this.suspects]);
    return [...found]
      .filter((line) => line >= first && line < first + lines)
      .map((line) => ({ line, tries: this.tries.get(line) ?? 0, alone: this.suspects.has(line) }));
  }

  /** Counts on from the tries that lines have had elsewhere. Call it before `resolve` and `addChunks`. */
  countOn(lines: Iterable<LineTries>): void {
    for (const { line, tries, alone } of lines) {
      if (tries > 0) this.tries.set(line, tries);
      if (alone) this.suspects.add(line);
    }
  }

  /** Adds chunks to a batch that is restricted to some of its chunks. */
  addChunks(chunks: Iterable<ChunkRange>): void {
    if (this.claimed === null) throw new Error('all chunks of the batch run here already');
    for (const range of chunks) {
      const { chunk, first, lines } = range;
      const states = this.lines.subarray(first, first + lines);
      const left = states.filter((state) => state !== HAS_RESULT).length;
      this.claimed.add(range, left);
      if (left > 0) this.unread.add(chunk);
    }
  }

  /** The next line to start, if it is in memory. */
  get next(): BatchLine | undefined {
    if (this.dueRetries.length > 0) return this.dueRetries[0];
    return this.retrying < RETRYING_MAX ? this.readChunk?.lines.at(-1) : undefined;
  }

  /** The model of the next line if `wantsLines`, as far as it is known: its lines were in memory before. */
  get nextModel(): string | null {
    if (this.released === null || this.released.chunk !== this.chunkToRead) return null;
    return this.released.model;
  }

  /** Whether the next line has the same state as the line taken before it. */
  get nextSharesState(): boolean {
    return this.dueRetries.length === 0 && this.readChunk?.lines.at(-1)?.sharesState === true;
  }

  /** Whether lines must be read before the next one can start. */
  get wantsLines(): boolean {
    if (this.dueRetries.length > 0 || this.readChunk !== null) return false;
    if (this.hasEnded || this.retrying >= RETRYING_MAX) return false;
    return this.unread.size > 0 || this.nextChunk < this.batch.chunks;
  }

  /** The chunk to read if `wantsLines`. */
  get chunkToRead(): number {
    return this.unread.size > 0 ? Math.min(...this.unread) : this.nextChunk;
  }

  /** A chunk has been read. Keeps the lines that have not started. */
  receive(chunk: number, answer: Extract<ChunkAnswer, { ok: true }>, memory: ReadAhead): void {
    if (!this.unread.delete(chunk)) this.nextChunk = chunk + 1;
    if (this.hasEnded) return;
    const lines = linesOf(chunk, answer, (index) => this.lines[index] === WAITS).reverse();
    if (lines.length === 0) return;
    const bytes = answer.text.length;
    this.readChunk = { chunk, bytes, lines };
    memory.add(bytes);
  }

  /** Frees the memory of lines that have not started. They are read again when their turn comes. */
  release(memory: ReadAhead): void {
    if (this.readChunk !== null) {
      const { chunk, lines } = this.readChunk;
      this.released = { chunk, model: (lines.at(-1) as OrderedLine).model };
      this.unread.add(chunk);
      this.close(this.readChunk, memory);
    }
    for (const line of this.dueRetries.splice(0)) {
      memory.add(-line.body.length);
      this.markWaiting(line);
    }
  }

  /** Returns a line that was taken and has not started to its place, and frees the lines read with it. */
  putBack(line: BatchLine, memory: ReadAhead): void {
    this.release(memory);
    this.markWaiting(line);
  }

  /** Takes the line that `next` returned. Its body is in shared memory, where other threads read it. */
  take(memory: ReadAhead): BatchLine {
    const retry = this.dueRetries.shift();
    if (retry !== undefined) {
      memory.add(-retry.body.length);
      return retry;
    }
    const readChunk = this.readChunk as ReadChunk;
    const { index, chunk, customId, model, task, body } = readChunk.lines.pop() as OrderedLine;
    const tries = this.tries.get(index) ?? 0;
    this.lines[index] = TAKEN;
    if (readChunk.lines.length === 0) this.close(readChunk, memory);
    return { index, chunk, customId, model, task, body: ownBody(body), tries };
  }

  /** Keeps a line for a retry. Once the returned function is called, it goes before all other lines. */
  retry(line: BatchLine, memory: ReadAhead): () => void {
    const tries = line.tries + 1;
    this.tries.set(line.index, tries);
    this.retrying += 1;
    memory.add(line.body.length);
    return () => {
      this.retrying -= 1;
      if (this.hasEnded) memory.add(-line.body.length);
      else this.dueRetries.push({ ...line, tries });
    };
  }

  /** From now on no line starts. */
  end(memory: ReadAhead): void {
    this.hasEnded = true;
    this.release(memory);
  }

  /** Marks a line as having its result. */
  resolve(index: number): void {
    if (this.lines[index] === HAS_RESULT) throw new Error(`line ${index} of a batch has two results`);
    this.lines[index] = HAS_RESULT;
    this.aborts.delete(index);
    this.suspects.delete(index);
    this.tries.delete(index);
    this.resolvedCount += 1;
    this.claimed?.resolve(index);
  }

  private markWaiting({ index, chunk }: BatchLine): void {
    this.lines[index] = WAITS;
    this.unread.add(chunk);
    // It may be the next line.
    this.released = null;
  }

  private close({ bytes }: ReadChunk, memory: ReadAhead): void {
    memory.add(-bytes);
    this.readChunk = null;
  }
}

/**
 * A copy, so that a line in progress does not keep its whole chunk in memory. A line that makes up most of its chunk is
 * not copied: copying 32 MiB blocks the event loop for 20 ms.
 */
function ownBody(body: Buffer): Buffer {
  if (body.length > body.buffer.byteLength / 2) return body;
  return sharedCopy(body);
}
