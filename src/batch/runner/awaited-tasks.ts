import type { BatchTasks } from '../batch-dependencies.js';
import type { AwaitedLine, Funds } from './funds.js';

/** Lines whose tasks are asked for in one check. */
const ASKED_MAX = 8;

interface Parts {
  readonly tasks: Pick<BatchTasks, 'ask'>;
  readonly funds: Pick<Funds, 'nextOfTasks'>;
  /** The task of a line that waits for credit was deleted: the line fails as soon as it is taken again. */
  onDeleted(line: AwaitedLine): void;
}

/** Finds lines that wait for credit although their task was deleted, so that they do not block their keys. */
export class AwaitedTasks {
  private asking = false;

  constructor(private readonly parts: Parts) {}

  /** Asks for the tasks of a few lines, of others with each call. Call it at intervals. */
  check(): void {
    if (this.asking) return;
    this.asking = true;
    void this.ask()
      .catch(() => {})
      .then(() => {
        this.asking = false;
      });
  }

  private async ask(): Promise<void> {
    const { tasks, funds, onDeleted } = this.parts;
    for (const line of funds.nextOfTasks(ASKED_MAX)) {
      if (line.task === null) continue;
      // A task that cannot be read may still be there: a later check asks for it again.
      const about = await tasks.ask(line.open.batch.workspace, line.task).catch(() => undefined);
      if (about === null) onDeleted(line);
    }
  }
}
