import type { Clock } from '../../../../base/index.js';
import type { OpenBatch } from '../../../../batch/index.js';

/** A node has chunks of at most this many unfunded keys at a time: keys whose last line lacked credit. */
const UNFUNDED_KEYS_MAX = 16;

/** A batch of which this node has claimed chunks. */
interface Claimed {
  readonly open: OpenBatch;
  /** When a chunk was claimed or a line started, on the monotonic clock. */
  used: number;
}

/** The batches of which this node has claimed chunks. */
export class ClaimedBatches {
  private readonly byId = new Map<string, Claimed>();
  /** Keys whose last line on this node was not covered by credit. */
  private readonly unfunded = new Set<string>();
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

  /** How many of the keys are not unfunded. */
  get fundedCount(): number {
    return this.keys.filter((key) => !this.unfunded.has(key)).length;
  }

  /** The unfunded keys of which no further chunk is claimed. */
  get unfundedKeys(): string[] {
    const here = this.keys.filter((key) => this.unfunded.has(key));
    return here.length < UNFUNDED_KEYS_MAX ? here : [...this.unfunded];
  }

  /** Lines that have not started, except those of unfunded keys. */
  get waiting(): number {
    let count = 0;
    for (const { open } of this.byId.values())
      if (!this.unfunded.has(open.batch.key)) count += (open.claimed?.linesLeft ?? 0) - open.inProgress;
    return count;
  }

  /** Call it when credit does not cover the next line of a batch. */
  noteUnfunded({ batch }: OpenBatch): void {
    this.unfunded.add(batch.key);
  }

  /** About how many lines start per second. */
  get startsPerSecond(): number {
    return Math.max(this.starts.now, this.starts.before);
  }

  find(id: string): OpenBatch | undefined {
    return this.byId.get(id)?.open;
  }

  has(open: OpenBatch): boolean {
    return this.byId.get(open.batch.id)?.open === open;
  }

  /** Call it when a chunk of a batch was claimed. */
  add(open: OpenBatch): void {
    this.byId.set(open.batch.id, { open, used: this.clock.monotonic() });
  }

  /** Call it when a line of a batch has started. */
  started(open: OpenBatch): void {
    this.starts.now += 1;
    this.unfunded.delete(open.batch.key);
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
