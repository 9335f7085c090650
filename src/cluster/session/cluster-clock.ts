import type { Clock } from '../../base/index.js';

/**
 * The clock of the database, continued by the monotonic clock of this host between two heartbeats. All nodes show the same
 * time, within the duration of a heartbeat.
 */
export class ClusterClock implements Clock {
  /** The database's clock minus the monotonic clock; null: not known yet. */
  private offset: number | null = null;

  constructor(private readonly system: Clock) {}

  /**
   * The database read its clock at some moment between `began` and `ended`, in monotonic milliseconds. The offset changes
   * only if it contradicts this, so the time does not jump back and forth with the duration of heartbeats.
   */
  observe(databaseNow: number, began: number, ended: number): void {
    const [lowest, highest] = [databaseNow - ended, databaseNow - began];
    const offset = this.offset ?? (lowest + highest) / 2;
    this.offset = Math.min(Math.max(offset, lowest), highest);
  }

  /** Until the first observation, the clock of this host. */
  now(): number {
    return this.offset === null ? this.system.now() : Math.round(this.system.monotonic() + this.offset);
  }

  monotonic(): number {
    return this.system.monotonic();
  }

  certainFor(): number {
    return Number.POSITIVE_INFINITY;
  }

  after(ms: number, callback: () => void): () => void {
    return this.system.after(ms, callback);
  }
}
