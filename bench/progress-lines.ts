import type { ProgressSetup, ProgressStep } from './progress.js';

/** Writes the lines of progress: a new step at once, unless one was written just before; the current one again and again. */
export class ProgressLines {
  private current: ProgressStep | null = null;
  /** When the current step was reported, and when a line was last written. */
  private reported = 0;
  private written = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly write: (line: string) => void,
    private readonly now: () => number,
    private readonly times: Pick<ProgressSetup, 'leastMs' | 'repeatMs'>,
  ) {}

  report(step: ProgressStep): void {
    this.current = step;
    this.reported = this.now();
    if (this.now() - this.written >= this.times.leastMs) this.print();
  }

  /** To be called often. */
  tick(): void {
    if (this.now() - this.written >= this.times.repeatMs) this.print();
  }

  private print(): void {
    if (this.current === null) return;
    const { step, left } = this.current;
    const now = this.now();
    this.written = now;
    const since = (now - this.reported) / 1_000;
    const rest = left === null ? '' : `, about ${Math.max(0, Math.round(left - since))} s left`;
    this.write(`[${Math.round(now / 1_000)} s] ${step}${rest}\n`);
  }
}
