/** Events for metrics. Called before answers are sent: implementations must be fast and must not throw. */
export interface EngineEvents {
  /** A wave was computed. */
  waveDone(tokens: number): void;
  /** A wave failed, or its thread died: its plans run again, once. */
  waveLost(): void;
  /** A plan was refused because the queue is full. */
  planRefused(): void;
  /** A plan was cancelled before its first wave because the client disconnected. */
  planCancelled(): void;
  /** A plan was abandoned because its deadline passed. */
  planLate(): void;
}

/** Ignores all events. */
export const UNWATCHED: EngineEvents = {
  waveDone() {},
  waveLost() {},
  planRefused() {},
  planCancelled() {},
  planLate() {},
};
