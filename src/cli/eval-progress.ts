import type { SingleBar } from 'cli-progress';
import { printError } from './output.js';

/** The progress of a run on standard error: a bar if that is a terminal, otherwise only notes. */
export class EvalProgress {
  private done = 0;
  private total = 0;
  private running = false;

  private constructor(private readonly bar: SingleBar) {
    // Restores the terminal, also after Ctrl-C.
    process.once('exit', () => this.stop());
  }

  static async create(): Promise<EvalProgress> {
    const { default: progress } = await import('cli-progress');
    const format = '{bar} {value}/{total} requests, {eta_formatted} left';
    return new EvalProgress(
      new progress.SingleBar({ format, stream: process.stderr, clearOnComplete: true }),
    );
  }

  get text(): string {
    return `${this.done} of ${this.total} requests`;
  }

  update(done: number, total: number): void {
    [this.done, this.total] = [done, total];
    if (this.running) this.bar.update(done);
    else this.bar.start(total, done);
    this.running = true;
  }

  /** Prints a line above the bar. */
  note(text: string): void {
    this.bar.stop();
    printError(text);
    if (this.running) this.bar.start(this.total, this.done);
  }

  stop(): void {
    this.running = false;
    this.bar.stop();
  }
}
