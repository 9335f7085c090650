import type { ClientRuntime } from './client-runtime.js';

/** Ends one attempt of a call: after a time limit, or when the caller's signal aborts. */
export class AttemptDeadline {
  private readonly control = new AbortController();
  private readonly onAbort = () => this.control.abort(this.outer?.reason);
  private cancel = () => {};
  /** Whether the time limit has passed. */
  timedOut = false;

  constructor(
    private readonly runtime: Pick<ClientRuntime, 'after'>,
    readonly timeoutMs: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    // Not AbortSignal.any, which browsers from before 2024 do not have.
    if (outer?.aborted) this.onAbort();
    else outer?.addEventListener('abort', this.onAbort, { once: true });
    this.extend();
  }

  get signal(): AbortSignal {
    return this.control.signal;
  }

  /** Begins the time limit again. */
  extend(): void {
    this.cancel();
    this.cancel = this.runtime.after(this.timeoutMs, () => {
      this.timedOut = true;
      this.control.abort();
    });
  }

  /** Stops the time limit until `extend`: the client waits for its own caller, not for the server. */
  hold(): void {
    this.cancel();
  }

  /** The attempt is over. */
  end(): void {
    this.cancel();
    this.outer?.removeEventListener('abort', this.onAbort);
  }
}
