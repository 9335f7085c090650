import type { SingleBar } from 'cli-progress';
import { printError } from './output.js';
import { progressBar } from './progress-bar.js';

/** The progress of a run on standard error: a bar if that is a terminal, otherwise only notes. */
export class EvalProgress {
  private done = 0;
  private total = 0;
  private running = false;

  private constructor(private readonly bar: SingleBar) {}

  static async create(): Promise<EvalProgress> {
    return new EvalProgress(await progressBar('{bar} {value}/{total} requests, {eta_formatted} left'));
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
