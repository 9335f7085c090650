// kill -9 during answers, labels, fits, pairs of shadow builds and changes of tasks: what was acknowledged is stored, and no fit is half applied.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Test, test } from 'tap';
import { systemClock } from '../../src/base/index.js';
import { statement } from '../../src/storage/database/index.js';
import { DatabaseTasks } from '../../src/storage/database/tasks/tasks.js';
import { openStore, Sealer } from '../../src/storage/folder/index.js';
import { FolderAccess } from '../../src/storage/folder/ledger/folder-access.js';
import { verifyTasks } from '../../src/storage/folder/tasks/index.js';
import { FolderTasks } from '../../src/storage/folder/tasks/tasks.js';
import { openAnswer, type Task, type TaskStore } from '../../src/tasks/index.js';
import { NEEDS_POSTGRES, newDatabase } from '../support/postgres.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import type { ChildOrder } from '../support/store/tasks-child.js';

const CHILD = fileURLToPath(new URL('../support/store/tasks-child.js', import.meta.url));
const FOLDER_KILLS = scaled({ short: 3, long: 6 }, 'KILLS');
const DATABASE_KILLS = scaled({ short: 2, long: 6 }, 'KILLS');
/** Acknowledgements after which a process is killed, at most. */
const LINES_MAX = 30;
const PLACE = { workspace: 'w', name: 'a' };
const failed = (error: unknown) => {
  throw error;
};

/** What processes that were killed had acknowledged. */
class Acknowledged {
  readonly labels = new Set<string>();
  /** References of answers to which that of the shadow build was added. */
  readonly pairs = new Set<string>();
  fit = -1;
  /** Rounds whose task was promoted. */
  readonly promoted = new Set<number>();
  /** By round. */
  readonly versions = new Map<number, number>();

  add(round: number, line: string): void {
    const [what, value = ''] = line.split(' ');
    if (what === 'label') this.labels.add(value);
    if (what === 'pair') this.pairs.add(value);
    if (what === 'promoted') this.promoted.add(round);
    if (what === 'fit') this.fit = Number(value);
    if (what === 'version') this.versions.set(round, Number(value));
  }
}

/** Runs a process until it has acknowledged so many changes, and a moment longer. */
async function killed(order: ChildOrder, lines: number, known: Acknowledged): Promise<void> {
  const child = spawn(process.execPath, [CHILD], {
    env: { ...process.env, ORDER: JSON.stringify(order) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let count = 0;
  const output = createInterface({ input: child.stdout });
  output.on('line', (line) => {
    known.add(order.round, line);
    count += 1;
    if (count === lines) child.kill('SIGKILL');
  });
  await Promise.all([once(child, 'exit'), once(output, 'close')]);
}

/** When an answer was given, in the time of the fits. */
function timeOf(reference: string): number {
  const [, round, at] = reference.split('_').map(Number) as [number, number, number];
  return round * 1_000_000 + at;
}

/** Compares what is stored with what was acknowledged. */
async function check(t: Test, tasks: TaskStore, known: Acknowledged): Promise<void> {
  const task = (await tasks.find(PLACE)) as Task;
  const found = await tasks.labelled(task, 'm-1');
  const stored = new Set(found?.rows.map((row) => openAnswer(found.dataKey, task, row).reference));
  t.strictSame(
    [...known.labels].filter((reference) => !stored.has(reference)),
    [],
    'no label is lost',
  );
  t.equal(await tasks.labels(task), stored.size);
  const paired = new Set(
    found?.rows.flatMap((row) => {
      const { reference, shadow } = openAnswer(found.dataKey, task, row);
      return shadow === undefined ? [] : [reference];
    }),
  );
  t.strictSame(
    [...known.pairs].filter((reference) => !paired.has(reference)),
    [],
    'no answer of the shadow build is lost',
  );
  const counted = (await tasks.counted(task))?.questions[0]?.answers ?? 0;
  t.ok(counted >= known.pairs.size && counted <= stored.size, 'no pair is lost or counted twice');
  for (const round of known.promoted) {
    const promoted = await tasks.find({ workspace: 'w', name: `p${round}` });
    t.match(promoted, { version: 2, model: 'n-1', shadow: null }, 'no promotion is lost');
  }
  if (known.fit >= 0) {
    const [fit] = task.fits;
    t.ok((fit?.at ?? -1) >= known.fit, 'no fit is lost');
    t.equal(JSON.parse((await tasks.fitReport(task, 'm-1')) ?? '{}').at, fit?.at, 'no fit is half applied');
    const first = fit?.at ?? 0;
    const since = [...stored].filter((reference) => timeOf(reference) > first).length;
    const errors = (await tasks.monitor(task, 'm-1'))?.report()[0]?.errors;
    t.equal(errors?.labels, since, 'every label since the fit has tested it once');
  }
  for (const [round, version] of known.versions) {
    const other = (await tasks.find({ workspace: 'w', name: `b${round}` })) as Task;
    t.ok(other.version >= version, 'no version is lost');
    t.equal((await tasks.versions(other))?.length, other.version);
    t.ok(await tasks.questions(other, other.version));
  }
}

test('data folder: a killed server loses no label, no fit, no version and no promotion', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`seed ${seed}`);
  const { integer } = random(seed);
  const folder = join(t.testdir(), 'data');
  const known = new Acknowledged();
  for (let round = 0; round < FOLDER_KILLS; round += 1) {
    await killed({ folder, url: '', masterKey: '', round }, 1 + integer(LINES_MAX), known);
    const store = openStore(folder);
    const sealer = new Sealer(store, '');
    const access = new FolderAccess(store, systemClock, failed);
    await check(t, new FolderTasks({ store, sealer, access, clock: systemClock, onError: failed }), known);
    const problems: string[] = [];
    verifyTasks(store, sealer, (problem) => problems.push(problem));
    t.strictSame(problems, []);
    await store.close();
  }
});

test(
  'database: a killed node loses no label, no fit, no version and no promotion',
  NEEDS_POSTGRES,
  async (t) => {
    const seed = seedFromEnvironment();
    t.comment(`seed ${seed}`);
    const { integer } = random(seed);
    const { database, url } = await newDatabase(t);
    const key = randomBytes(32);
    await database.execute(statement('', `INSERT INTO workspaces VALUES ('w', 0, NULL, NULL, 1, 1, 0, 0)`));
    const known = new Acknowledged();
    for (let round = 0; round < DATABASE_KILLS; round += 1) {
      const masterKey = key.toString('hex');
      await killed({ folder: null, url, masterKey, round }, 1 + integer(LINES_MAX), known);
      const session = { id: null, lost() {} };
      const parts = { database, session, masterKey: () => key, clock: systemClock, onError: failed };
      await check(t, new DatabaseTasks(parts), known);
    }
  },
);
