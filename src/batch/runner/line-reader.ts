import type { Clock } from '../../base/index.js';
import type { Reader } from '../reading/reader.js';
import type { OpenBatch } from './open-batch.js';
import type { ReadAhead } from './read-ahead.js';

/**
 * A thread that dies may do so again. The batch that it was reading for waits, twice as long each time, but is never
 * given up: its lines are intact, and the machine may be out of memory or descriptors for a while only.
 */
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 60_000;

export interface LineReaderDependencies {
  readonly clock: Clock;
  readLines: Reader['chunk'];
  onError(error: unknown, batch: string): void;
}

/** Has chunks of lines read on another thread, one at a time: how much memory one takes is known when it is there. */
export class LineReader {
  private reading = false;
  private readonly failures = new Map<OpenBatch, number>();
  private readonly resting = new Set<OpenBatch>();

  /** `goOn`: called when a batch may have lines that it had not before. */
  constructor(
    private readonly memory: ReadAhead,
    private readonly deps: LineReaderDependencies,
    private readonly leaving: AbortSignal,
    private readonly goOn: (open: OpenBatch) => void,
  ) {}

  /** Whether a batch waits because the thread died that was reading for it. */
  rests(open: OpenBatch): boolean {
    return this.resting.has(open);
  }

  /** Reads the next chunk of a batch, unless another is being read. */
  read(open: OpenBatch): void {
    if (this.reading || open.sealed === null) return;
    this.reading = true;
    const chunk = open.chunkToRead;
    const ended = this.deps.readLines({ batch: open.sealed.key, chunk }).then(
      (answer) => {
        this.failures.delete(open);
        if (answer.ok) open.receive(chunk, answer, this.memory);
        else this.damaged(open, new Error(answer.message));
      },
      (error) => this.leaving.aborted || this.failed(open, error),
    );
    void ended.then(() => {
      this.reading = false;
      this.goOn(open);
    });
  }

  private failed(open: OpenBatch, error: Error): void {
    const failures = this.failures.get(open) ?? 0;
    this.failures.set(open, failures + 1);
    this.deps.onError(error, open.batch.id);
    this.resting.add(open);
    this.deps.clock.after(Math.min(RETRY_MS * 2 ** failures, RETRY_MS_MAX), () => {
      this.resting.delete(open);
      this.goOn(open);
    });
  }

  /** The operator is told of a batch whose lines cannot be read. */
  private damaged(open: OpenBatch, error: Error): void {
    open.isDamaged = true;
    this.deps.onError(error, open.batch.id);
  }
}
