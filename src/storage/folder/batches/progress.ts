import type { Access } from '../../../access/index.js';
import type { Clock } from '../../../base/index.js';
import {
  apply,
  type Batch,
  type BatchEnds,
  type BatchEvent,
  type BatchProgress,
  isFinished,
  mayStart,
  type OpenBatch,
  settledAs,
} from '../../../batch/index.js';
import type { FolderWorkBuffer } from './work-buffer.js';

interface Parts {
  readonly buffer: FolderWorkBuffer;
  readonly access: Pick<Access, 'holder'>;
  readonly clock: Clock;
  /** Called in the turn in which a batch finishes. Its last changes may not be on the disk yet. */
  onFinished(batch: Batch): void;
}

/** Takes open batches through their states, and puts each change into the work buffer. */
export class FolderProgress implements BatchProgress {
  constructor(
    private readonly parts: Parts,
    private readonly ends: BatchEnds,
  ) {}

  applyEnds(open: OpenBatch): void {
    const { access, clock } = this.parts;
    // Also a batch that is already finishing: a revoked key overrides the end of the window.
    if (isFinished(open.batch)) return;
    if (access.holder(open.batch.key)?.hasEnded !== false) this.apply(open, 'key_ended');
    else if (open.deadline.hasPassed(open.batch, clock)) this.apply(open, 'window_ended');
    else this.moveExpiry(open);
    this.settle(open);
  }

  apply(open: OpenBatch, event: BatchEvent): void {
    const { clock, buffer } = this.parts;
    const next = apply(open.batch, event, clock.now());
    if (next === open.batch) return;
    open.batch = next;
    buffer.put(next);
    if (!mayStart(next)) this.ends.stopped(open);
  }

  settle(open: OpenBatch): void {
    if (open.inProgress > 0 || isFinished(open.batch)) return;
    if (!open.isResolved && mayStart(open.batch)) return;
    this.apply(open, settledAs(open.batch));
    this.parts.buffer.removeLines(open.batch);
    this.ends.remove(open);
    this.parts.onFinished(open.batch);
  }

  /** The end of the window, as the present calendar shows it. */
  private moveExpiry(open: OpenBatch): void {
    const expires = open.deadline.expires(open.batch, this.parts.clock);
    if (expires === open.batch.expires) return;
    open.batch = { ...open.batch, expires };
    this.parts.buffer.put(open.batch);
  }
}
