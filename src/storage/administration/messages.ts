import type { TaskName } from './tasks.js';

/** A call of a task in the administration thread. */
export interface TaskCall {
  readonly name: TaskName;
  readonly args: unknown;
  /** The actor in the audit log. */
  readonly actor: string;
  /** Milliseconds since 1970, by the server's calendar. */
  readonly now: number;
}

/** How a task ended. Errors are described, because an error loses its class between threads. */
export type TaskOutcome =
  | { readonly kind: 'done'; readonly result: unknown }
  | {
      readonly kind: 'refused';
      readonly argument: string;
      readonly problem: string;
      readonly refusal: 'invalid' | 'not_found' | 'conflict';
    }
  | { readonly kind: 'unavailable'; readonly message: string }
  /** It may have been done. */
  | { readonly kind: 'unknown'; readonly message: string };
