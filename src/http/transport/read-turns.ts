/** Bytes of all bodies that are read in one turn of the event loop; takes 2 to 5 ms. */
export const TURN_BYTES = 4 * 1024 * 1024;

/** A request whose body arrives. */
interface Arriving {
  pause(): unknown;
  resume(): unknown;
}

/** Pauses bodies until the next turn once many bytes have arrived in one, so that other requests are answered. */
export class ReadTurns {
  #bytes = 0;
  readonly #paused = new Set<Arriving>();

  /** Called for each part of a body that was read. */
  read(request: Arriving, bytes: number): void {
    if (this.#bytes === 0) setImmediate(() => this.#next());
    this.#bytes += bytes;
    if (this.#bytes < TURN_BYTES) return;
    request.pause();
    this.#paused.add(request);
  }

  #next(): void {
    this.#bytes = 0;
    const paused = [...this.#paused];
    this.#paused.clear();
    for (const request of paused) request.resume();
  }
}
