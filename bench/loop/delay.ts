import type { Memory } from './memory.js';

/** The message of a server that listens. */
export interface Listening {
  readonly port: number;
  /** The token of its callers. */
  readonly token: string;
}

/** Delays of the main thread's event loop since the last reading, in milliseconds. */
export interface Delay {
  readonly p99: number;
  readonly max: number;
  /** The largest memory of the process of each kind, sampled every few milliseconds. */
  readonly memory: Memory;
}
