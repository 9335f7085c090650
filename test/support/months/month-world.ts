import type { KeyUsage, Pause } from '../../../src/access/index.js';

/** A server with one workspace and one key, over a clock that the test moves. */
export interface MonthWorld {
  /** The calendar of the server, and its last certain time. */
  times(): Promise<{ readonly now: number; readonly settled: number }>;
  /** Charges an amount; resolves with the type of the refusal, null if there was none. */
  charge(amount: number): Promise<string | null>;
  pause(): Promise<Pause | null>;
  /** What was charged this month, by the server and by the commands, once all is written. */
  monthCharged(): Promise<{ readonly server: bigint; readonly commands: bigint }>;
  usage(days: number): Promise<KeyUsage>;
  /** The sums of the stored counters by day. */
  counters(): Promise<ReadonlyMap<string, bigint>>;
  /** What is wrong with the stored ledger. */
  problems(): Promise<readonly string[]>;
  setBudget(budget: bigint): Promise<void>;
  /** Time passes. */
  wait(ms: number): Promise<void>;
  /** The system clock is set; no time passes. */
  jump(ms: number): Promise<void>;
  /** The server ends, and starts again after `ms`. `isKilled`: it stores nothing more when it ends. */
  restart(ms: number, isKilled: boolean): Promise<void>;
}
