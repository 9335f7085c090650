import { fitTogether, type Plan, type WaveBounds } from '../wave/index.js';

/** A plan that waits, and whatever its owner hangs on it. */
export interface Waiting {
  readonly plan: Plan;
}

/**
 * Which plans leave together. Pure: no threads, no clock, no timers.
 *
 * Plans wait in the order they came. When a context is free, the oldest leaves, and with it those behind it
 * that fit into the wave's bounds, in order, up to the first that does not: no plan is overtaken, so none
 * waits for ever. What arrives while a wave runs forms the next one. The queue is bounded; a full one is
 * told to the caller at once.
 */
export class Dispatcher<Entry extends Waiting> {
  private readonly queue: Entry[] = [];

  constructor(
    private readonly bounds: WaveBounds,
    private readonly queueMax: number,
  ) {}

  get length(): number {
    return this.queue.length;
  }

  /** False where the queue is full: the entry does not wait. */
  add(entry: Entry): boolean {
    if (this.queue.length >= this.queueMax) return false;
    this.queue.push(entry);
    return true;
  }

  /** Takes back a plan that has not left. */
  remove(entry: Entry): boolean {
    const index = this.queue.indexOf(entry);
    if (index < 0) return false;
    this.queue.splice(index, 1);
    return true;
  }

  /** The next wave, empty where nothing waits. */
  next(): Entry[] {
    const wave: Entry[] = [];
    for (const entry of this.queue) {
      if (
        !fitTogether(
          [...wave, entry].map(({ plan }) => plan),
          this.bounds,
        )
      )
        break;
      wave.push(entry);
    }
    this.queue.splice(0, wave.length);
    return wave;
  }

  /** Empties the queue: the server ends. */
  drain(): Entry[] {
    return this.queue.splice(0);
  }
}
