/** No chunk is read while this many bytes are held: a few hundred typical chunks, or two of the largest. */
export const READ_AHEAD_BYTES = 64 * 1024 * 1024;

/**
 * Counts the bytes of all lines in memory that have not started: read ahead, or waiting for a retry. The total may exceed
 * READ_AHEAD_BYTES by one chunk, because the size of a chunk is known only once it is read.
 */
export class ReadAhead {
  private held = 0;

  get hasRoom(): boolean {
    return this.held < READ_AHEAD_BYTES;
  }

  get bytes(): number {
    return this.held;
  }

  /** Adds bytes, or removes them if negative. */
  add(bytes: number): void {
    this.held += bytes;
  }
}
