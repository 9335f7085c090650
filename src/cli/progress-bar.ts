import type { SingleBar } from 'cli-progress';

/** A progress bar on standard error, drawn only if that is a terminal. `format`: see cli-progress. */
export async function progressBar(format: string): Promise<SingleBar> {
  // Loaded when it is needed: most commands show no progress.
  const { default: progress } = await import('cli-progress');
  const bar = new progress.SingleBar({ format, stream: process.stderr, clearOnComplete: true });
  // Restores the terminal, also after Ctrl-C or an error.
  process.once('exit', () => bar.stop());
  return bar;
}
