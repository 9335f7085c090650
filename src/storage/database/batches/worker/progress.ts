import type { Access } from '../../../../access/index.js';
import type { Clock } from '../../../../base/index.js';
import {
  apply,
  type BatchEnds,
  type BatchEvent,
  type BatchProgress,
  mayStart,
  type OpenBatch,
} from '../../../../batch/index.js';
import type { ClaimedBatches } from './claimed-batches.js';
import type { DatabaseWorkBuffer } from './work-buffer.js';

interface Parts {
  readonly claims: ClaimedBatches;
  readonly work: DatabaseWorkBuffer;
  readonly access: Pick<Access, 'holder'>;
  readonly clock: Clock;
  /** Called when lines have started or chunks were given back: there may be room for further chunks. */
  onRoom(): void;
}

/**
 * Stops the lines of batches on this node when their window or key ends, and gives chunks back. The state that callers see
 * is in the database; the maintenance changes it.
 */
export class DatabaseProgress implements BatchProgress {
  constructor(
    private readonly parts: Parts,
    private readonly ends: BatchEnds,
  ) {}

  applyEnds(open: OpenBatch): void {
    const { access, clock } = this.parts;
    if (!mayStart(open.batch)) return;
    // A key that the copy does not have may be new: its lines wait.
    if (access.holder(open.batch.key)?.hasEnded === true) this.apply(open, 'key_ended');
    else if (open.deadline.hasPassed(open.batch, clock)) this.apply(open, 'window_ended');
    this.settle(open);
  }

  apply(open: OpenBatch, event: BatchEvent): void {
    const { claims, work, clock } = this.parts;
    if (event === 'line_started') {
      claims.started(open);
      this.parts.onRoom();
    }
    const next = apply(open.batch, event, clock.now());
    if (next === open.batch) return;
    open.batch = next;
    if (event === 'line_started') work.started(next.id);
    if (!mayStart(next)) this.ends.stopped(open);
  }

  settle(open: OpenBatch): void {
    if (!this.parts.claims.has(open)) return;
    for (const chunk of open.claimed?.takeResolved() ?? [])
      this.parts.work.end({ batch: open.batch.id, chunk, settled: true });
    if (open.inProgress > 0 || (!open.isResolved && mayStart(open.batch))) return;
    this.release(open);
  }

  /** Call it when the state of a batch was changed in the database. */
  changed(open: OpenBatch, state: OpenBatch['batch']['state']): void {
    open.batch = { ...open.batch, state };
    if (!mayStart(open.batch)) this.ends.stopped(open);
    this.settle(open);
  }

  /**
   * Gives back the chunks of a batch without lines in progress, with the tries of their lines: a line that makes every wave
   * fail would be tried without an end if each node counted from 0.
   */
  release(open: OpenBatch): void {
    const { claims, work, onRoom } = this.parts;
    claims.remove(open);
    this.ends.remove(open);
    for (const range of open.claimed?.chunks ?? []) {
      const tried = open.triesOf(range);
      work.end({ batch: open.batch.id, chunk: range.chunk, settled: false, tried });
    }
    onRoom();
  }
}
