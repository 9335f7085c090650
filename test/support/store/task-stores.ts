import { randomBytes } from 'node:crypto';
import type { Test } from 'tap';
import type { AuditEntry } from '../../../src/access/index.js';
import { LIMITS } from '../../../src/api/index.js';
import { placeOf, unseal } from '../../../src/sealing/index.js';
import { statement } from '../../../src/storage/database/index.js';
import { DatabaseTasks } from '../../../src/storage/database/tasks/tasks.js';
import { openStore, Sealer } from '../../../src/storage/folder/index.js';
import { FolderAccess } from '../../../src/storage/folder/ledger/folder-access.js';
import { FolderTasks } from '../../../src/storage/folder/tasks/tasks.js';
import {
  type AnswerRow,
  type Expected,
  type LabelRow,
  openAnswer,
  openExpected,
  sealAnswer,
  type Task,
  type TaskAnswer,
  type TaskStore,
} from '../../../src/tasks/index.js';
import { dataFolder } from '../data-folder.js';
import { fakeClock } from '../fake-clock.js';
import { NEEDS_POSTGRES, newDatabase } from '../postgres.js';

/** The tasks of the workspaces `w` and `v`. */
export interface Stored {
  readonly tasks: TaskStore & { stop(): Promise<void> };
  /** The same tasks, as another process of a cluster has them; null: there is none. */
  readonly other: (TaskStore & { stop(): Promise<void> }) | null;
  readonly clock: ReturnType<typeof fakeClock>;
  /** Writes the answers that were recorded. */
  flush(): Promise<void>;
  /** The references of a task's answers, oldest first. */
  references(task: Task): Promise<string[]>;
  /** The answers that are kept of a task, and those with a label, each in the order of their references. */
  answers(task: Task): Promise<{ readonly kept: TaskAnswer[]; readonly labelled: TaskAnswer[] }>;
  /** The actions of the audit log with what they changed, oldest first. */
  audit(): Promise<Array<Pick<AuditEntry, 'actor' | 'action' | 'workspace' | 'key' | 'changes'>>>;
  /** The labels of a task, by reference. */
  labels(task: Task): Promise<Record<string, Expected>>;
  /** Everything stored, as text. */
  content(): Promise<string>;
  /** Moves the answers so far so many milliseconds into the past. */
  age(ms: number): Promise<void>;
  /** The same for labels. */
  ageLabels(ms: number): Promise<void>;
  /** Stores the first answer of a task under a number, as if all before it had gone. */
  putFirst(task: Task, number: number, answer: TaskAnswer): Promise<void>;
}

/** A storage of tasks. `options`: of its tests. */
interface Implementation {
  readonly name: string;
  readonly options: { readonly skip?: string };
  /** `labelsMax`: the most labelled answers of a task, if it is not that of a server. */
  open(t: Test, labelsMax?: number): Promise<Stored>;
}

const failed = (error: unknown) => {
  throw error;
};

export const TASK_STORES: readonly Implementation[] = [
  {
    name: 'data folder',
    options: {},
    async open(t, labelsMax = LIMITS.taskLabels) {
      const store = openStore(dataFolder(t));
      const clock = fakeClock(Date.parse('2026-05-10'));
      t.teardown(() => store.close());
      const sealer = new Sealer(store, '');
      const access = new FolderAccess(store, clock, failed);
      const tables = [
        'tasks',
        'task_versions',
        'task_answers',
        'task_refs',
        'task_labels',
        'task_fits',
        'task_shadows',
        'task_monitors',
        'data_keys',
      ] as const;
      const content = () =>
        tables.flatMap((name) => [...store.table(name).entries()].map((entry) => [name, entry]));
      return {
        tasks: new FolderTasks({ store, sealer, access, clock, labelsMax, onError: failed }),
        other: null,
        clock,
        flush: () => access.flush(),
        references: async (task) => {
          const key = sealer.dataKey(task.id) as Buffer;
          const rows = [...store.table('task_answers').entries(task.id)];
          return rows.map(({ value }) => openAnswer(key, task, value).reference);
        },
        answers: async (task) => {
          const key = sealer.dataKey(task.id) as Buffer;
          const rowsOf = (name: 'task_answers' | 'task_labels') =>
            [...store.table(name).entries(task.id)].map(({ value }) => value);
          return answersOf(key, task, rowsOf('task_answers'), rowsOf('task_labels'));
        },
        audit: async () => [...store.table('audit').entries()].map(({ value }) => value),
        content: async () => JSON.stringify(content(), textOfBytes),
        age: async (ms) => {
          const table = store.table('task_answers');
          const rows = [...table.entries()];
          await store.write(rows.map(({ key, value }) => table.write(key, { ...value, at: value.at - ms })));
        },
        labels: async (task) => {
          const rows = [...store.table('task_labels').entries(task.id)].map(({ value }) => value);
          return labelsOf(sealer.dataKey(task.id) as Buffer, task, rows);
        },
        ageLabels: async (ms) => {
          const table = store.table('task_labels');
          const rows = [...table.entries()];
          await store.write(rows.map(({ key, value }) => table.write(key, { ...value, at: value.at - ms })));
        },
        putFirst: async (task, number, answer) => {
          const row = sealAnswer(sealer.dataKey(task.id) as Buffer, task, answer, clock.now());
          await store.write([
            store.table('task_answers').write([task.id, number], row),
            store.table('task_refs').write([task.id, row.ref], number),
          ]);
        },
      };
    },
  },
  {
    name: 'database',
    options: NEEDS_POSTGRES,
    async open(t, labelsMax = LIMITS.taskLabels) {
      const { database } = await newDatabase(t);
      const clock = fakeClock();
      const masterKey = randomBytes(32);
      const run = <Row extends object>(text: string, ...values: unknown[]) =>
        database.query<Row>(statement('', text), values);
      for (const id of ['w', 'v'])
        await run(`INSERT INTO workspaces VALUES ($1, 0, NULL, NULL, 1, 1, 0, 0)`, id);
      const node = (id: number) =>
        new DatabaseTasks({
          database,
          session: { id, lost: failed },
          masterKey: () => masterKey,
          clock,
          labelsMax,
          onError: failed,
        });
      const all = [
        'tasks',
        'task_versions',
        'task_answers',
        'task_labels',
        'task_fits',
        'task_shadows',
        'task_monitors',
        'data_keys',
      ];
      const nodes = [node(1), node(2)] as const;
      await run(`INSERT INTO nodes (id, name, version, format, started, seen, expires)
        SELECT id, '', '', 1, 0, 0, 9000000000000000 FROM generate_series(1, 2) AS ids(id)`);
      const keyOf = async ({ id }: Task) => {
        const [row] = await run<{ sealed: Buffer }>('SELECT sealed FROM data_keys WHERE owner = $1', id);
        return unseal(masterKey, placeOf('data_keys', id), (row as { sealed: Buffer }).sealed);
      };
      return {
        tasks: nodes[0],
        other: nodes[1],
        clock,
        flush: async () => {
          for (const each of nodes) await each.flush();
        },
        references: async (task) => {
          const key = await keyOf(task);
          const rows = await run<AnswerRow>(
            'SELECT * FROM task_answers WHERE task = $1 ORDER BY number',
            task.id,
          );
          return rows.map((row) => openAnswer(key, task, row).reference);
        },
        answers: async (task) => {
          const rowsOf = (table: string) => run<AnswerRow>(`SELECT * FROM ${table} WHERE task = $1`, task.id);
          const key = await keyOf(task);
          return answersOf(key, task, await rowsOf('task_answers'), await rowsOf('task_labels'));
        },
        audit: () => run('SELECT actor, action, workspace, key, changes FROM audit ORDER BY entry'),
        content: async () =>
          JSON.stringify(await Promise.all(all.map((table) => run(`SELECT * FROM ${table}`))), textOfBytes),
        age: async (ms) => {
          await run('UPDATE task_answers SET at = at - $1', ms);
        },
        labels: async (task) => labelsOf(await keyOf(task), task, await run('SELECT * FROM task_labels')),
        ageLabels: async (ms) => {
          await run('UPDATE task_labels SET at = at - $1', ms);
        },
        putFirst: async (task, number, answer) => {
          const { ref, version, build, sealed } = sealAnswer(await keyOf(task), task, answer, 0);
          await run('UPDATE tasks SET answers = $2, oldest = $2::bigint - 1 WHERE id = $1', task.id, number);
          const insert = 'INSERT INTO task_answers VALUES ($1, $2, $3, $4, $5, $6, $7)';
          await run(insert, task.id, number, ref, Date.now(), version, build, sealed);
        },
      };
    },
  },
];

function answersOf(
  key: Buffer,
  task: Task,
  kept: readonly AnswerRow[],
  labelled: readonly AnswerRow[],
): Awaited<ReturnType<Stored['answers']>> {
  const opened = (rows: readonly AnswerRow[]) =>
    rows
      .map((row) => openAnswer(key, task, row))
      .sort((one, other) => (one.reference < other.reference ? -1 : 1));
  return { kept: opened(kept), labelled: opened(labelled) };
}

const labelsOf = (key: Buffer, task: Task, rows: readonly LabelRow[]): Record<string, Expected> =>
  Object.fromEntries(rows.map((row) => [openAnswer(key, task, row).reference, openExpected(key, task, row)]));

/** Bytes as Latin-1, so that texts in them are found. */
function textOfBytes(_: string, value: unknown): unknown {
  const bytes = value as { readonly type?: unknown; readonly data?: readonly number[] } | null;
  if (bytes?.type !== 'Buffer') return value;
  return Buffer.from(bytes.data as number[]).toString('latin1');
}
