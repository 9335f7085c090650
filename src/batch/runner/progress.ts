import type { Access } from '../../access/index.js';
import type { Clock } from '../../base/index.js';
import type { Store } from '../../store/index.js';
import { apply } from '../lifecycle/apply.js';
import { type Batch, type BatchEvent, isFinished, mayStart } from '../lifecycle/transitions.js';
import type { WriteBuffer } from '../write-buffer.js';
import type { Funds } from './funds.js';
import type { OpenBatch } from './open-batch.js';
import type { RunQueue } from './queue.js';
import type { ReadAhead } from './read-ahead.js';

interface Parts {
  readonly store: Store;
  readonly buffer: WriteBuffer;
  readonly access: Pick<Access, 'holder'>;
  readonly clock: Clock;
  readonly queue: RunQueue;
  readonly memory: ReadAhead;
  readonly funds: Funds;
  /** Called in the turn in which a batch finishes. Its last changes may not be on the disk yet. */
  onFinished(batch: Batch): void;
}

/** Takes open batches through their states (`TRANSITIONS`), and puts each change into the write buffer. */
export class Progress {
  constructor(private readonly parts: Parts) {}

  /** Ends a batch whose key or window has ended. */
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
    const { clock, buffer, funds, queue } = this.parts;
    const next = apply(open.batch, event, clock.now());
    if (next === open.batch) return;
    open.batch = next;
    buffer.put(next);
    if (mayStart(next)) return;
    // The line whose cost the key cannot pay may belong to this batch, and no longer runs.
    funds.forget(next.key);
    queue.wake(next.key);
  }

  /** Finishes a batch if no line is in progress and none is left to run. */
  settle(open: OpenBatch): void {
    const { store, buffer, queue, memory } = this.parts;
    if (open.inProgress > 0 || isFinished(open.batch)) return;
    if (!open.isResolved && mayStart(open.batch)) return;
    this.apply(open, open.batch.done > 0 ? 'settled_answered' : 'settled_unanswered');
    const { id, chunks, lines } = open.batch;
    buffer.write(
      store.table('batch_lines').removal([id, 0], [id, chunks]),
      store.table('batch_aborts').removal([id, 0], [id, lines]),
    );
    open.end(memory);
    queue.remove(open);
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
