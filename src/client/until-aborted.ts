/** The values of an iterable, until the signal aborts, also while the next one is awaited. Then it rejects with the reason. */
export async function* untilAborted<Value>(
  values: Iterable<Value> | AsyncIterable<Value>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Value, void> {
  const iterator =
    Symbol.asyncIterator in values ? values[Symbol.asyncIterator]() : values[Symbol.iterator]();
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await orAborted(Promise.resolve(iterator.next()), signal);
      ended = done === true;
      if (ended) return;
      yield value;
    }
  } finally {
    // Not awaited: what the iterator waits for may never come.
    if (!ended) Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

/** A value, unless the signal aborts before. Then it rejects with the reason. */
export function orAborted<Value>(value: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return value;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
