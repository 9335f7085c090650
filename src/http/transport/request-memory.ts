/**
 * Memory of the requests that are parsed and not answered, of all connections of the endpoints of a server, as
 * `requestBytes` counts it. Beyond it, the connection with the most is closed.
 */
export const REQUEST_MEMORY_BYTES = 128 * 1024 * 1024;

/** What a request, its response and its connection take besides the head: measured 2 to 10 KiB. */
const REQUEST_BYTES = 12 * 1024;
/** What a name or a value takes besides its text. */
const TEXT_BYTES = 32;

/** Bytes that a request takes until it is answered, its body apart: an upper estimate. `texts`: names and values. */
export const requestBytes = (headBytes: number, texts: number): number =>
  REQUEST_BYTES + headBytes + texts * TEXT_BYTES;

/** `requestBytes` of a request with these fields. */
export function bytesOfFields(target: string, headers: readonly (readonly [string, string])[]): number {
  const text = headers.reduce((sum, [name, value]) => sum + name.length + value.length, target.length);
  return requestBytes(text, headers.length * 2);
}

/** A connection whose requests are counted. */
interface Holder {
  /** Must close the connection. */
  close(): void;
}

/** Bounds the memory of requests in progress. */
export class RequestMemory {
  readonly #held = new Map<Holder, number>();
  #bytes = 0;

  constructor(private readonly max: number = REQUEST_MEMORY_BYTES) {}

  /** A request has arrived. If there is no room, closes the connection with the most: possibly this one. */
  take(holder: Holder, bytes: number): void {
    const held = (this.#held.get(holder) ?? 0) + bytes;
    this.#held.set(holder, held);
    this.#bytes += bytes;
    while (this.#bytes > this.max) this.#closeMost(holder, held);
  }

  /** A request is answered. `bytes`: those of `take`; absent: the connection is closed, with all of its requests. */
  free(holder: Holder, bytes: number = Number.POSITIVE_INFINITY): void {
    const held = this.#held.get(holder);
    if (held === undefined) return;
    const freed = Math.min(bytes, held);
    this.#bytes -= freed;
    if (freed === held) this.#held.delete(holder);
    else this.#held.set(holder, held - freed);
  }

  /** Of several with the most, the one whose request arrived last: those before it go on. */
  #closeMost(last: Holder, held: number): void {
    let [most, mostBytes] = [last, this.#held.has(last) ? held : 0];
    for (const [holder, bytes] of this.#held) if (bytes > mostBytes) [most, mostBytes] = [holder, bytes];
    this.free(most);
    most.close();
  }
}
