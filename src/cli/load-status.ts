import type { WriteStream } from 'node:tty';
import { type Step, type StepResult, showMs, showRate } from '../load/index.js';

const REFRESH_MS = 250;

/**
 * Progress of a load: a line per finished step, and on a terminal a line about the current one that is rewritten. Keeps
 * the process running while a step waits for its next arrival.
 */
export class LoadStatus {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly output: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>) {}

  start(rate: number, step: Step, seconds: number): void {
    this.timer = setInterval(() => this.draw(rate, step, seconds), REFRESH_MS);
    this.draw(rate, step, seconds);
  }

  end({ rate, answered, failed, latency_ms, ended }: StepResult): void {
    clearInterval(this.timer);
    this.clear();
    const end = ended === 'complete' ? '' : ended === 'interrupted' ? ', interrupted' : ', misses the target';
    const { p50, p95 } = latency_ms;
    this.line(
      `${showRate(rate)}/s: ${answered} answered, ${failed} failed, p50 ${showMs(p50)} ms, p95 ${showMs(p95)} ms${end}`,
    );
  }

  line(text: string): void {
    this.output.write(`${text}\n`);
  }

  private draw(rate: number, step: Step, seconds: number): void {
    if (!this.output.isTTY) return;
    const { answered, failed, latencies } = step.recorder;
    const elapsed = Math.floor(step.elapsed / 1_000);
    const time = elapsed <= seconds ? `${elapsed} of ${Math.ceil(seconds)} s` : 'waiting for responses';
    const [p50, p95] = [latencies.percentile(50), latencies.percentile(95)];
    const line =
      `${showRate(rate)}/s  ${time}  ${answered} answered  ${failed} failed  ${step.pending} pending` +
      `  p50 ${showMs(p50)}  p95 ${showMs(p95)} ms`;
    this.clear();
    this.output.write(line.slice(0, (this.output.columns || 80) - 1));
  }

  private clear(): void {
    if (this.output.isTTY) this.output.write('\r\x1b[2K');
  }
}
