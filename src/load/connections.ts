/** A fixed number of connections. A request that finds none free waits; the oldest one gets the next. */
export class Connections {
  private readonly waiting = new Set<() => void>();

  constructor(private free: number) {}

  /** Resolves with whether the request had to wait. Rejects with the signal's reason if it is aborted first. */
  take(signal: AbortSignal): Promise<boolean> {
    if (this.free > 0) {
      this.free -= 1;
      return Promise.resolve(false);
    }
    return new Promise((resolve, reject) => {
      const proceed = () => {
        signal.removeEventListener('abort', abandon);
        resolve(true);
      };
      const abandon = () => {
        this.waiting.delete(proceed);
        reject(signal.reason);
      };
      this.waiting.add(proceed);
      signal.addEventListener('abort', abandon, { once: true });
    });
  }

  release(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.free += 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
