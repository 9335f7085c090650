import type { Clock } from '../../../base/index.js';
import type { Task, TaskPlace } from '../../../tasks/index.js';

/** A task that was read is used for this many milliseconds: by then, every node uses the change of another one. */
export const COPY_MS = 1_000;
/** Tasks that are kept. */
export const COPIES_MAX = 1_000;

interface Copy {
  /** When the query began. */
  readonly begun: number;
  readonly task: Promise<Task | undefined>;
}

/** The tasks that requests of the last second have used, so that each request needs no query of its own. */
export class TaskCopies {
  /** By name, the one that was read first comes first. */
  private readonly copies = new Map<string, Copy>();

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly read: (place: TaskPlace) => Promise<Task | undefined>,
  ) {}

  /** Rejects with what `read` throws. A missing task is looked for each time. */
  async find(place: TaskPlace): Promise<Task | undefined> {
    const key = keyOf(place);
    const copy = this.copies.get(key);
    if (copy !== undefined && this.clock.monotonic() - copy.begun <= COPY_MS) return copy.task;
    const next = { begun: this.clock.monotonic(), task: this.read(place) };
    this.keep(key, next);
    try {
      const task = await next.task;
      if (task === undefined) this.drop(key, next);
      return task;
    } catch (error) {
      this.drop(key, next);
      throw error;
    }
  }

  /** The next look-up reads the task again. Call it after a change. */
  forget(place: TaskPlace): void {
    this.copies.delete(keyOf(place));
  }

  private keep(key: string, copy: Copy): void {
    this.copies.delete(key);
    this.copies.set(key, copy);
    const [oldest] = this.copies.keys();
    if (this.copies.size > COPIES_MAX) this.copies.delete(oldest as string);
  }

  private drop(key: string, copy: Copy): void {
    if (this.copies.get(key) === copy) this.copies.delete(key);
  }
}

/** No workspace and no name has a slash. */
const keyOf = ({ workspace, name }: TaskPlace) => `${workspace}/${name}`;
