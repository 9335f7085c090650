/** The values of an iterable, until the signal aborts, also while the next one is awaited. Then it rejects with the reason. */
export declare function untilAborted<Value>(values: Iterable<Value> | AsyncIterable<Value>, signal: AbortSignal | undefined): AsyncGenerator<Value, void>;
/** A value, unless the signal aborts before. Then it rejects with the reason. */
export declare function orAborted<Value>(value: Promise<Value>, signal: AbortSignal | undefined): Promise<Value>;
