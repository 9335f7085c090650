/** What an engine tells whoever counts. Called on its way to an answer: must be quick, and must not throw. */
export interface EngineEvents {
  /** A wave was computed. */
  waveDone(tokens: number): void;
  /** A wave failed, or its thread died: its plans run again, once. */
  waveLost(): void;
  /** A plan was not taken because the queue is full. */
  planRefused(): void;
  /** A plan was dropped before its first wave because the caller left. */
  planCancelled(): void;
  /** A plan was given up because its deadline passed. */
  planLate(): void;
}

/** For an engine that nobody watches. */
export const UNWATCHED: EngineEvents = {
  waveDone() {},
  waveLost() {},
  planRefused() {},
  planCancelled() {},
  planLate() {},
};
