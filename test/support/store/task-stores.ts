import { randomBytes } from 'node:crypto';
import type { Test } from 'tap';
import { statement } from '../../../src/storage/database/index.js';
import { DatabaseTasks } from '../../../src/storage/database/tasks/tasks.js';
import { openStore, Sealer } from '../../../src/storage/folder/index.js';
import { FolderTasks } from '../../../src/storage/folder/tasks/tasks.js';
import type { TaskStore } from '../../../src/tasks/index.js';
import { fakeClock } from '../fake-clock.js';
import { NEEDS_POSTGRES, newDatabase } from '../postgres.js';

/** The tasks of the workspaces `w` and `v`. */
export interface Stored {
  readonly tasks: TaskStore;
  /** The same tasks, as another process of a cluster has them; null: there is none. */
  readonly other: TaskStore | null;
  readonly clock: ReturnType<typeof fakeClock>;
  /** Everything stored, as text. */
  content(): Promise<string>;
}

/** A storage of tasks. `options`: of its tests. */
interface Implementation {
  readonly name: string;
  readonly options: { readonly skip?: string };
  open(t: Test): Promise<Stored>;
}

const failed = (error: unknown) => {
  throw error;
};

export const TASK_STORES: readonly Implementation[] = [
  {
    name: 'data folder',
    options: {},
    async open(t) {
      const store = openStore(t.testdir());
      const clock = fakeClock();
      t.teardown(() => store.close());
      const sealer = new Sealer(store, '');
      const tables = ['tasks', 'task_versions', 'data_keys'] as const;
      const content = () =>
        tables.flatMap((name) => [...store.table(name).entries()].map((entry) => [name, entry]));
      return {
        tasks: new FolderTasks({ store, sealer, clock, onError: failed }),
        other: null,
        clock,
        content: async () => JSON.stringify(content(), textOfBytes),
      };
    },
  },
  {
    name: 'database',
    options: NEEDS_POSTGRES,
    async open(t) {
      const { database } = await newDatabase(t);
      const clock = fakeClock();
      const key = randomBytes(32);
      for (const id of ['w', 'v']) {
        await database.execute(
          statement('', `INSERT INTO workspaces VALUES ($1, 0, NULL, NULL, 1, 1, 0, 0)`),
          [id],
        );
      }
      const node = () => new DatabaseTasks({ database, masterKey: () => key, clock, onError: failed });
      const all = ['tasks', 'task_versions', 'data_keys'];
      const rows = () =>
        Promise.all(all.map((table) => database.query(statement('', `SELECT * FROM ${table}`))));
      return {
        tasks: node(),
        other: node(),
        clock,
        content: async () => JSON.stringify(await rows(), textOfBytes),
      };
    },
  },
];

/** Bytes as Latin-1, so that texts in them are found. */
function textOfBytes(_: string, value: unknown): unknown {
  const bytes = value as { readonly type?: unknown; readonly data?: readonly number[] } | null;
  if (bytes?.type !== 'Buffer') return value;
  return Buffer.from(bytes.data as number[]).toString('latin1');
}
