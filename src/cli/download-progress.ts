import type { SingleBar } from 'cli-progress';
import { systemClock, visible } from '../base/index.js';
import type { Progress } from '../hub/index.js';
import { printError } from './output.js';

/** Without a terminal, one line per this many milliseconds. */
const LINE_EVERY_MS = 10_000;

/** Shows a download on standard error: a bar if that is a terminal, otherwise a line every ten seconds. */
export class DownloadProgress {
  private running = false;
  private shownAt = systemClock.monotonic();

  private constructor(private readonly bar: SingleBar) {
    // Restores the terminal, also after Ctrl-C.
    process.once('exit', () => this.stop());
  }

  static async create(): Promise<DownloadProgress> {
    const { default: progress } = await import('cli-progress');
    return new DownloadProgress(
      new progress.SingleBar({ format: '{bar} {text}', stream: process.stderr, clearOnComplete: true }),
    );
  }

  update(state: Progress): void {
    if (!process.stderr.isTTY) {
      const now = systemClock.monotonic();
      if (now - this.shownAt < LINE_EVERY_MS) return;
      this.shownAt = now;
      printError(String(state));
      return;
    }
    if (!this.running) this.bar.start(state.total, state.done, { text: '' });
    this.running = true;
    this.bar.update(state.done, { text: visible(String(state)) });
  }

  /** Prints a sentence in place of the bar, which comes back with the next update. */
  note(sentence: string): void {
    this.stop();
    printError(sentence);
  }

  stop(): void {
    if (this.running) this.bar.stop();
    this.running = false;
  }
}
