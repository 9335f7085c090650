import type { Memory } from './memory.js';

/** What a server of this benchmark tells when it listens. */
export interface Listening {
  readonly port: number;
  /** What its callers send. */
  readonly token: string;
}

/** How late the main thread's timers were since the last reading, in milliseconds. */
export interface Delay {
  readonly p99: number;
  readonly max: number;
  /** The most memory of each kind that the process held, looked at every few milliseconds. */
  readonly memory: Memory;
}
