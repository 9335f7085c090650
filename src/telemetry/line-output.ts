import { write as writeFile, writeSync } from 'node:fs';

/** Bytes of lines that may wait for the reader of standard output or standard error; further lines are dropped. */
export const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

/** Maximum bytes of one write: the capacity of a pipe. */
const CHUNK_BYTES_MAX = 64 * 1024;

/** The delay before a write that would have blocked is tried again. */
const RETRY_MS = 20;

/** Standard output, or standard error. */
type Descriptor = 1 | 2;

/**
 * Writes lines to standard output or standard error without ever blocking: if the reader stops, up to `bytesMax` are
 * buffered and further lines are dropped and counted. Works for files, pipes, sockets and terminals.
 */
export class LineOutput {
  private waiting: string[] = [];
  private bytes = 0;
  private chunk: Buffer = Buffer.alloc(0);
  private busy = false;
  /** Whether a write is pending in the system. */
  private underWay = false;
  /** Whether the last write succeeded. */
  private writable = true;
  private lost = 0;
  private unreported = 0;
  private onIdle: Array<() => void> = [];

  /** `onDropped` receives the number of lines dropped since its last call, once writing works again. */
  constructor(
    private readonly descriptor: Descriptor,
    private readonly onDropped: (lines: number) => void = () => {},
    private readonly bytesMax: number = OUTPUT_BYTES_MAX,
  ) {
    neverBlock(descriptor);
    // On exit, write as much as fits without blocking.
    process.on('exit', () => this.writeNow());
  }

  /** Lines dropped since the start. */
  get dropped(): number {
    return this.lost;
  }

  /** Queues a line, which includes its line feed. */
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
    // The lines of one turn of the event loop are written together.
    setImmediate(() => this.writeNext());
  }

  /** Resolves when every line is written, at the latest after `ms` milliseconds. */
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
        this.writable = true;
        this.bytes -= written;
        this.chunk = this.chunk.subarray(written);
      } else if (error.code === 'EAGAIN') {
        setTimeout(() => this.writeNext(), RETRY_MS);
        return;
      } else this.discard();
      this.writeNext();
    });
  }

  /** As many whole lines as fit into one write, at least one. */
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
    this.reportDropped();
    // The report is a line too, which `flush` waits for.
    if (!this.busy) for (const resolve of this.onIdle.splice(0)) resolve();
  }

  private reportDropped(): void {
    const { unreported } = this;
    // After a failed write, a line about it would be dropped too.
    if (unreported === 0 || !this.writable) return;
    this.unreported = 0;
    this.onDropped(unreported);
  }

  /** The write failed, such as on a closed pipe or a full disk: drops what waits. Later lines are tried again. */
  private discard(): void {
    this.writable = false;
    this.drop(this.waiting.length + this.chunk.toString().split('\n').length - 1);
    this.waiting = [];
    this.chunk = Buffer.alloc(0);
    this.bytes = 0;
  }

  private drop(lines: number): void {
    this.lost += lines;
    this.unreported += lines;
  }

  private writeNow(): void {
    // A pending write would be repeated.
    if (this.underWay) return;
    try {
      while (this.waiting.length > 0 || this.chunk.length > 0) {
        if (this.chunk.length === 0) this.chunk = this.takeChunk();
        this.chunk = this.chunk.subarray(writeSync(this.descriptor, this.chunk));
      }
    } catch {
      // The write would block, or the reader is gone: the rest is lost.
    }
  }
}

/**
 * From now on a write that would block fails with EAGAIN. Node sets this for pipes and sockets when it creates the
 * stream, and resets it at the end; it leaves terminals blocking.
 */
function neverBlock(descriptor: Descriptor): void {
  const stream = descriptor === 1 ? process.stdout : process.stderr;
  if (!stream.isTTY) return;
  const { _handle: handle } = stream as { _handle?: { setBlocking?(blocking: boolean): void } };
  handle?.setBlocking?.(false);
}
