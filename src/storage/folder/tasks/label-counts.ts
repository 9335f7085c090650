import type { LabelCounts, Task } from '../../../tasks/index.js';
import type { Store } from '../lmdb/store.js';

interface Known extends LabelCounts {
  readonly version: number;
}

/**
 * How many labelled answers tasks have. Those of the version in use are counted by reading all, once; a count is used until
 * labels are removed or the task has a further version.
 */
export class FolderLabelCounts {
  /** By task. */
  private readonly known = new Map<string, Known>();
  /** How often labels were stored. */
  private stores = 0;

  constructor(private readonly store: Store) {}

  async of({ id, version }: Pick<Task, 'id' | 'version'>): Promise<LabelCounts> {
    const known = this.known.get(id);
    const all = this.all(id);
    if (known?.version === version && known.all === all) return known;
    const { stores } = this;
    let current = 0;
    for await (const { value } of this.store.table('task_labels').checkedInTurns(id)) {
      if (value?.version === version) current += 1;
    }
    const counts = { version, current, all };
    if (stores === this.stores && all === this.all(id)) this.known.set(id, counts);
    return counts;
  }

  /** Call it when labels of the version in use have been stored. `current`: how many labelled answers it has now. */
  stored({ id, version }: Pick<Task, 'id' | 'version'>, current: number): void {
    this.stores += 1;
    this.known.set(id, { version, current, all: this.all(id) });
  }

  /** Call it when a task has been deleted. */
  forget(id: string): void {
    this.known.delete(id);
  }

  private all(id: string): number {
    return this.store.table('task_labels').count([id]);
  }
}
