import type { ChangeName } from '../../access/index.js';
import type { ReadName } from './reads.js';

/** A call of the administration thread. */
export type AdministrationCall = {
  readonly args: readonly unknown[];
  /** The actor in the audit log. */
  readonly actor: string;
  /** Milliseconds since 1970, by the server's calendar. */
  readonly now: number;
} & (
  | { readonly kind: 'read'; readonly name: ReadName }
  | { readonly kind: 'change'; readonly name: ChangeName }
);

/** How a call ended. Errors are described, because an error loses its class between threads. */
export type CallOutcome =
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
