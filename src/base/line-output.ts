import { write as writeFile, writeSync } from 'node:fs';

/** Bytes of lines that may wait for a reader of standard output or standard error; lines beyond that are dropped. */
export const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

/** Most bytes of one write: what the pipe of a reader holds. */
const CHUNK_BYTES_MAX = 64 * 1024;

/** How long to wait before a write that found no room is tried again. */
const RETRY_MS = 20;

/** Standard output, or standard error. */
type Descriptor = 1 | 2;

/**
 * Lines for standard output or standard error, which never wait for their reader: a reader that stops costs at most
 * `bytesMax` of memory, and the lines beyond it, which are counted. A file, a pipe, a socket or a terminal.
 */
export class LineOutput {
  private waiting: string[] = [];
  private bytes = 0;
  private chunk: Buffer = Buffer.alloc(0);
  private busy = false;
  /** A write has been handed to the system, and has not come back. */
  private underWay = false;
  /** Whether the last write found a reader. */
  private read = true;
  private lost = 0;
  private untold = 0;
  private onIdle: Array<() => void> = [];

  /** `tell` is called with the lines dropped since it was last called, when there is room again. */
  constructor(
    private readonly descriptor: Descriptor,
    private readonly tell: (dropped: number) => void = () => {},
    private readonly bytesMax: number = OUTPUT_BYTES_MAX,
  ) {
    neverBlock(descriptor);
    // On exit, write as much as the reader has room for.
    process.on('exit', () => this.writeNow());
  }

  /** Lines that were not written, since the start. */
  get dropped(): number {
    return this.lost;
  }

  /** Takes a line, with its line feed. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.bytes + bytes > this.bytesMax) {
      this.drop(1);
      return;
    }
    this.waiting.push(line);
    this.bytes += bytes;
    if (this.busy) return;
    this.busy = true;
    // The lines of one turn of the event loop leave in one write.
    setImmediate(() => this.writeNext());
  }

  /** Resolves when every line is written, or after so many milliseconds. */
  async flush(ms: number): Promise<void> {
    if (!this.busy) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.onIdle.push(resolve);
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
  }

  private writeNext(): void {
    if (this.chunk.length === 0) this.chunk = this.takeChunk();
    if (this.chunk.length === 0) {
      this.rest();
      return;
    }
    this.underWay = true;
    writeFile(this.descriptor, this.chunk, 0, this.chunk.length, null, (error, written) => {
      this.underWay = false;
      if (error === null) {
        this.read = true;
        this.bytes -= written;
        this.chunk = this.chunk.subarray(written);
      } else if (error.code === 'EAGAIN') {
        setTimeout(() => this.writeNext(), RETRY_MS);
        return;
      } else this.giveUp();
      this.writeNext();
    });
  }

  /** As many whole lines as a write takes, and at least one. */
  private takeChunk(): Buffer {
    let count = 0;
    let bytes = 0;
    for (const line of this.waiting) {
      bytes += Buffer.byteLength(line);
      if (count > 0 && bytes > CHUNK_BYTES_MAX) break;
      count += 1;
    }
    return Buffer.from(this.waiting.splice(0, count).join(''));
  }

  private rest(): void {
    this.busy = false;
    for (const resolve of this.onIdle.splice(0)) resolve();
    const { untold } = this;
    // Where nobody reads, a line about it would be the next one dropped.
    if (untold === 0 || !this.read) return;
    this.untold = 0;
    this.tell(untold);
  }

  /** The reader has gone, or the disk is full: the lines that come later may have better luck. */
  private giveUp(): void {
    this.read = false;
    this.drop(this.waiting.length + this.chunk.toString().split('\n').length - 1);
    this.waiting = [];
    this.chunk = Buffer.alloc(0);
    this.bytes = 0;
  }

  private drop(lines: number): void {
    this.lost += lines;
    this.untold += lines;
  }

  private writeNow(): void {
    // It would be written twice.
    if (this.underWay) return;
    try {
      while (this.waiting.length > 0 || this.chunk.length > 0) {
        if (this.chunk.length === 0) this.chunk = this.takeChunk();
        this.chunk = this.chunk.subarray(writeSync(this.descriptor, this.chunk));
      }
    } catch {
      // No room, or nobody there.
    }
  }
}

/**
 * A write to a pipe, a socket or a terminal that has no room fails with EAGAIN from now on. Node does that for the
 * first two when its stream is made, and undoes it at the end; a terminal it keeps blocking.
 */
function neverBlock(descriptor: Descriptor): void {
  const stream = descriptor === 1 ? process.stdout : process.stderr;
  if (!stream.isTTY) return;
  const { _handle: handle } = stream as { _handle?: { setBlocking?(blocking: boolean): void } };
  handle?.setBlocking?.(false);
}
