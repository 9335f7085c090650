import { LRUCache } from 'lru-cache';
import type { Task } from '../../../tasks/index.js';
import { DataKeys } from '../batches/data-keys.js';
import type { Queryable } from '../postgres/statement.js';
import { findTask } from './task-rows.js';

/** Data keys that are kept. */
export const TASK_KEYS_MAX = 1_000;

/** The data keys of tasks. Those that were opened last are kept, so that answers need no query. */
export class TaskKeys extends DataKeys {
  private readonly last = new LRUCache<string, Buffer>({ max: TASK_KEYS_MAX });

  override open(task: string, sealed: Uint8Array): Buffer {
    const dataKey = super.open(task, sealed);
    this.last.set(task, dataKey);
    return dataKey;
  }

  /** The data key of a task that was opened lately; undefined: it was not. */
  lastOf(task: string): Buffer | undefined {
    return this.last.peek(task);
  }

  /** The data key of a task; undefined: it was deleted. Rejects with StoreError too. */
  async find(sql: Queryable, { id, workspace, name }: Task): Promise<Buffer | undefined> {
    const known = this.lastOf(id);
    if (known !== undefined) return known;
    const found = await findTask(sql, workspace, name);
    return found?.id === id ? this.open(id, found.key) : undefined;
  }
}
