import type { Clock } from '../../base/index.js';
import type { BatchReports } from '../batch-dependencies.js';
import { isFinished } from '../lifecycle/batch-transitions.js';
import type { ChunkSource } from '../reading/open-chunk.js';
import type { OpenBatch } from './open-batch.js';
import type { ReadAhead } from './read-ahead.js';

/**
 * A chunk that made the reading thread exit may do so again. The batch waits before the next attempt, twice as long each
 * time, but is never given up: its lines are intact, and the machine may only be short of memory or descriptors.
 */
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 60_000;

interface Parts {
  readonly reader: ChunkSource;
  readonly memory: ReadAhead;
  readonly clock: Clock;
  readonly reports: BatchReports;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
  /** A batch may have lines to start now. */
  onRead(open: OpenBatch): void;
}

/** Reads chunks of lines on another thread, one at a time, because the size of a chunk is known only once it is read. */
export class LineReader {
  private reading = false;
  private readonly failures = new WeakMap<OpenBatch, number>();
  private readonly resting = new Set<OpenBatch>();

  constructor(private readonly parts: Parts) {}

  /** Whether a batch waits because the reading thread exited while it read the batch's lines. */
  isPaused(open: OpenBatch): boolean {
    return this.resting.has(open);
  }

  /** Reads the next chunk of a batch, unless another chunk is being read. */
  read(open: OpenBatch): void {
    const { key } = open;
    if (this.reading || key === null) return;
    this.reading = true;
    const { reader, memory, signal } = this.parts;
    const chunk = open.chunkToRead;
    const ended = reader.chunk({ batch: key, chunk }).then(
      (answer) => {
        this.failures.delete(open);
        if (answer.ok) open.receive(chunk, answer, memory);
        // The lines of a batch that finished meanwhile, here or on another host, have been removed.
        else if (!isFinished(open.batch) && !open.isDropped && !signal.aborted)
          this.damaged(open, new Error(answer.message));
      },
      (error) => signal.aborted || this.failed(open, error),
    );
    void ended.then(() => {
      this.reading = false;
      this.parts.onRead(open);
    });
  }

  private failed(open: OpenBatch, error: Error): void {
    const { reports, clock } = this.parts;
    const failures = this.failures.get(open) ?? 0;
    this.failures.set(open, failures + 1);
    reports.error(error, open.batch.id);
    this.resting.add(open);
    clock.after(Math.min(RETRY_MS * 2 ** failures, RETRY_MS_MAX), () => {
      this.resting.delete(open);
      this.parts.onRead(open);
    });
  }

  private damaged(open: OpenBatch, error: Error): void {
    open.isDamaged = true;
    this.parts.reports.error(error, open.batch.id);
  }
}
