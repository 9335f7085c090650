const [FREE, TAKEN] = [0, 1];

/** The bytes of the memory that the threads share. */
export const SHARED_TURN_BYTES = Int32Array.BYTES_PER_ELEMENT;

/**
 * A turn that the threads of a process share: one of them works, the others wait, in no particular order. A thread that
 * ends while it works keeps the turn until `reset` is called.
 */
export class SharedTurn {
  private readonly state: Int32Array;

  /** @param memory zeros, the same in every thread */
  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(SHARED_TURN_BYTES)) {
    this.state = new Int32Array(memory);
  }

  /** Runs the work when the turn is free, and settles as it does. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    while (Atomics.compareExchange(this.state, 0, FREE, TAKEN) !== FREE) {
      await Atomics.waitAsync(this.state, 0, TAKEN).value;
    }
    try {
      return await work();
    } finally {
      this.reset();
    }
  }

  /** Frees the turn. If a thread still works, another one works beside it, once. */
  reset(): void {
    Atomics.store(this.state, 0, FREE);
    Atomics.notify(this.state, 0, 1);
  }
}
