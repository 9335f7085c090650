/** What the client needs of its surroundings. Tests pass their own. */
export interface ClientRuntime {
  readonly fetch: typeof fetch;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a clock that does not jump. */
  monotonic(): number;
  /** Calls back once after `ms`; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
  /** From 0 to less than 1. */
  random(): number;
  /** A new `Idempotency-Key`. */
  newKey(): string;
}

const KEY_BYTES = 16;

export const systemRuntime: ClientRuntime = {
  // Looked up at each call, so that a program can replace it.
  fetch: (input, init) => globalThis.fetch(input, init),
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  // `crypto.randomUUID` exists only on pages with TLS and on this machine.
  newKey: () =>
    [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join(''),
};

/** Resolves after `ms`; rejects with the reason of the signal if it aborts before. */
export function pause(
  runtime: Pick<ClientRuntime, 'after'>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = runtime.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
