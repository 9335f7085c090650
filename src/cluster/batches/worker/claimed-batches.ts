import type { Clock } from '../../../base/index.js';
import type { OpenBatch } from '../../../batch/index.js';

/** A batch of which this node has claimed chunks. */
interface Claimed {
  readonly open: OpenBatch;
  /** When a chunk was claimed or a line started, on the monotonic clock. */
  used: number;
}

/** The batches of which this node has claimed chunks. */
export class ClaimedBatches {
  private readonly byId = new Map<string, Claimed>();
  /** Lines started in this second, and in the one before. */
  private starts = { now: 0, before: 0 };

  constructor(private readonly clock: Clock) {}

  get ids(): string[] {
    return [...this.byId.keys()];
  }

  get all(): OpenBatch[] {
    return [...this.byId.values()].map(({ open }) => open);
  }

  /** The keys with a batch here. */
  get keys(): string[] {
    return [...new Set(this.all.map(({ batch }) => batch.key))];
  }

  /** Lines that have not started. */
  get waiting(): number {
    let count = 0;
    for (const { open } of this.byId.values()) count += (open.claimed?.linesLeft ?? 0) - open.inProgress;
    return count;
  }

  /** Lines that started in a second, about. */
  get startsPerSecond(): number {
    return Math.max(this.starts.now, this.starts.before);
  }

  find(id: string): OpenBatch | undefined {
    return this.byId.get(id)?.open;
  }

  has(open: OpenBatch): boolean {
    return this.byId.get(open.batch.id)?.open === open;
  }

  /** A chunk of a batch was claimed. */
  add(open: OpenBatch): void {
    this.byId.set(open.batch.id, { open, used: this.clock.monotonic() });
  }

  /** A line of a batch has started. */
  started(open: OpenBatch): void {
    this.starts.now += 1;
    const claimed = this.byId.get(open.batch.id);
    if (claimed !== undefined) claimed.used = this.clock.monotonic();
  }

  remove({ batch: { id } }: OpenBatch): void {
    this.byId.delete(id);
  }

  /** Batches of which no line is in progress and none has started for `ms`. */
  idleFor(ms: number): OpenBatch[] {
    const since = this.clock.monotonic() - ms;
    const idle = [...this.byId.values()].filter(({ open, used }) => open.inProgress === 0 && used <= since);
    return idle.map(({ open }) => open);
  }

  /** Call it once a second. */
  second(): void {
    this.starts = { now: 0, before: this.starts.now };
  }
}
