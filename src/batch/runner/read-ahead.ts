/** From so many bytes on no further chunk is read: a few hundred usual ones, or two of the largest. */
export const READ_AHEAD_BYTES = 64 * 1024 * 1024;

/**
 * The bytes of lines that are read ahead, or wait to be tried again, of all batches together. They may be over
 * READ_AHEAD_BYTES by one chunk, whose size is known when it is read.
 */
export class ReadAhead {
  private held = 0;

  get hasRoom(): boolean {
    return this.held < READ_AHEAD_BYTES;
  }

  get bytes(): number {
    return this.held;
  }

  /** Bytes come, or go where they are negative. */
  add(bytes: number): void {
    this.held += bytes;
  }
}
