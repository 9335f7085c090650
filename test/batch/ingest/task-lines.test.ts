// Lines of batch files that name a task.
import { type Test, test } from 'tap';
import { LIMITS } from '../../../src/api/index.js';
import { checkBatchFile, checkLines } from '../../../src/batch/ingest/check-batch-file.js';
import { type ChunkWork, checkChunks } from '../../../src/batch/ingest/check-chunks.js';
import type { Refusal } from '../../../src/batch/ingest/cut-file.js';
import { type FileTask, FileTasks } from '../../../src/batch/ingest/file-tasks.js';
import { type Ingested, ingest } from '../../../src/batch/ingest/ingest.js';
import { TasksWanted } from '../../../src/batch/ingest/wanted-tasks.js';
import { openLines } from '../../../src/batch/sealed-values.js';
import type { Catalog } from '../../../src/engine/index.js';
import { taskLine, YES_OR_NO } from '../../support/batch/batch-tasks.js';
import { READING as catalog, fileOwner, fileTools, ownTurns } from '../../support/batch/ingest.js';
import { line, reason } from '../../support/batch/world.js';
import { png } from '../../support/images/png.js';
import { random, seedFromEnvironment } from '../../support/random.js';

const ID = 'batch_0123456789abcdefghijABCD';
const DATA_KEY = Buffer.alloc(32, 7);
const CUT_LINES = 256;
const PICTURE = { format: 'png', data_base64: png({ width: 280, height: 280 }).toString('base64') };

const task = (name: string, more: Partial<FileTask> = {}): FileTask => ({
  id: `task_${name}`,
  name,
  version: 3,
  model: 'm1',
  questions: YES_OR_NO,
  ...more,
});

/** Takes lines in with helpers on this thread. */
function take(lines: readonly string[], tasks: readonly FileTask[] | null, helpers = 0) {
  const help = (work: ChunkWork) =>
    Promise.all(Array.from({ length: helpers }, () => checkChunks(work, catalog, ownTurns())));
  const sent = { file: Buffer.from(lines.join('\n')), encoding: 'identity' as const, allowedModels: null };
  const tools = { ...fileTools(), catalog, help };
  return ingest({ ...sent, tasks, batch: ID, dataKey: DATA_KEY, ...fileOwner() }, tools);
}

async function taken(lines: readonly string[], tasks: readonly FileTask[], helpers = 0): Promise<Ingested> {
  const result = await take(lines, tasks, helpers);
  if (!result.ok) throw new Error(JSON.stringify(result));
  return result;
}

const opened = ({ chunks }: Ingested) =>
  chunks.flatMap((chunk, at) => openLines({ id: ID, dataKey: DATA_KEY }, at, chunk));

async function wantedBy(t: Test, lines: readonly string[], helpers = 0) {
  const error = await reason(take(lines, null, helpers));
  t.ok(error instanceof TasksWanted, String(error));
  return (error as TasksWanted).names;
}

test('a file that names tasks says which, each once, before it is checked', async (t) => {
  t.equal((await take([line('a')], null)).ok, true, 'none');
  const file = [line('a'), taskLine('b', 'x'), '{', taskLine('c', 'y', { model: 'm' }), taskLine('d', 'x')];
  t.strictSame(await wantedBy(t, file), ['x', 'y'], 'of invalid lines too');
  for (const name of ['', 'a b', '..', 'x'.repeat(65)]) {
    const refused = await take([taskLine('a', name)], null);
    t.match(refused, { details: { errors: [{ line: 1, type: 'task_not_found' }] } }, 'no task has this name');
  }
  const many = (count: number) => Array.from({ length: count }, (_, at) => taskLine(`a${at}`, `t${at}`));
  t.equal((await wantedBy(t, many(LIMITS.tasks)))?.length, LIMITS.tasks);
  t.equal(await wantedBy(t, many(LIMITS.tasks + 1)), null, 'more than there can be');
  const large = [...Array.from({ length: 9 * CUT_LINES }, (_, at) => line(`l${at}`)), taskLine('b', 'z')];
  t.strictSame(await wantedBy(t, large, 2), ['z'], 'of a file that several threads check');
});

test('a task is found by its name only', async (t) => {
  const lines = [
    taskLine('a', 'known'),
    taskLine('b', 'Known'),
    taskLine('c', '__proto__'),
    taskLine('d', 'x'),
  ];
  const { details } = (await take(lines, [task('known')])) as { details?: object };
  t.match(details, {
    invalid_lines: 3,
    errors: [2, 3, 4].map((at) => ({ line: at, type: 'task_not_found' })),
  });
});

test('the model of a line is that of its task, and of a task without one the default', async (t) => {
  const build = { id: 'm7-20260101', model: { id: 'm7' } };
  const tasks = [task('default', { model: null }), task('own', { model: 'm2' })];
  const withDefault = (id: string) => ({
    find: (name: string | null) => {
      const found = name === null ? { ...build, id } : catalog.find(name);
      return found as ReturnType<Catalog['find']>;
    },
  });
  t.equal(new FileTasks(tasks, withDefault('m7-20260101')).find('default').model, 'm7');
  t.equal(
    new FileTasks(tasks, withDefault('m7-20250101')).find('default').model,
    'm7-20250101',
    'not the newest build of its model',
  );
  const { models } = await taken([taskLine('a', 'own'), line('b', 's', 'm5')], tasks);
  t.strictSame(
    models.map(({ model }) => model),
    ['m2', 'm5'],
  );
  for (const [model, type] of [
    ['unknown', 'model_not_found'],
    ['m1', undefined],
  ] as const) {
    const result = await take([taskLine('a', 't')], [task('t', { model })]);
    t.equal(result.ok ? undefined : (result.details.errors as { type: string }[])[0]?.type, type);
  }
});

test('the questions of a task count with each line, as if they stood there', async (t) => {
  const questions = JSON.stringify({ q: { type: 'noul', instructions: 'Is it? '.repeat(200) } });
  const sum = async (lines: readonly string[]) =>
    (await taken(lines, [task('t', { questions })])).models.reduce((all, { tokens }) => all + tokens, 0);
  const one = taskLine('a', 't');
  t.equal(await sum([one]), Math.ceil((one.length + questions.length) / 4));
  const written = JSON.stringify({ ...JSON.parse(one), model: 'm1', questions: JSON.parse(questions) });
  const { task: _, ...rest } = JSON.parse(written);
  t.ok(Math.abs((await sum([one])) - (await sum([JSON.stringify(rest)]))) < 10);
});

test('images may stand in the questions of a task', async (t) => {
  const questions = '{"q":{"type":"noul","instructions":"Is [p] a cat?"}}';
  const assets = (reference: string) => ({ assets: { [reference]: PICTURE } });
  const file = [taskLine('a', 't', assets('[p]')), taskLine('b', 't')];
  t.equal((await take(file, [task('t', { questions })])).ok, true);
  const unused = await take([taskLine('a', 't', assets('[x]'))], [task('t', { questions })]);
  t.match(unused, { details: { errors: [{ type: 'unreferenced_asset' }] } });
});

test('contract 8: the questions that lines with images name are bounded', async (t) => {
  const count = 256;
  const bytes = LIMITS.batchSearchedBytes / count;
  const questionsOf = (length: number) => {
    const around = JSON.stringify({ q: { type: 'noul', instructions: '' } }).length;
    return JSON.stringify({ q: { type: 'noul', instructions: 'x'.repeat(length - around) } });
  };
  const lines = Array.from({ length: count }, (_, at) => taskLine(`a${at}`, 't', { assets: { a: PICTURE } }));
  const tasks = [task('t', { questions: questionsOf(bytes) })];
  t.equal((await take(lines, tasks)).ok, true, 'at the limit');
  t.equal(
    (await take([...lines, taskLine('more', 't')], tasks)).ok,
    true,
    'lines without images do not count',
  );
  const beyond = [...lines, taskLine('a', 's', { assets: { a: PICTURE } })];
  const more = [...tasks, task('s')];
  t.match(await take(beyond, more), { ok: false, type: 'body_too_large', details: {} }, 'beyond it');
  t.match(await take([...beyond, '{'], more), { type: 'body_too_large' }, 'with an invalid line too');
});

test('lines are checked without a server as far as they can be', async (t) => {
  const offline = async (...lines: string[]) =>
    (await checkLines(Buffer.from(lines.join('\n'))))?.lines.map((each) => each.type) ?? [];
  t.strictSame(
    await offline(taskLine('a', 'any'), taskLine('b', 'any', { assets: { anywhere: PICTURE } })),
    [],
  );
  t.strictSame(
    await offline(
      taskLine('a', 'a b'),
      taskLine('b', 't', { questions: { q: { type: 'noul' } } }),
      taskLine('c', 't', { state: null }),
      taskLine('d', 't', { assets: { a: { format: 'png', data_base64: '!' } } }),
      taskLine('e', 't', { option_rotations: 27 }),
    ),
    ['task_not_found', 'invalid_line', 'missing', 'invalid_image', 'invalid_line'],
  );
});

const seed = seedFromEnvironment();

test(`files with lines of both kinds: several threads and one agree (TEST_SEED=${seed})`, async (t) => {
  const { integer, pick } = random(seed);
  const names = ['x', 'y', 'z'];
  const tasks = names.map((name, at) => task(name, { version: at + 1, model: `m${at}` }));
  for (let round = 0; round < 30; round += 1) {
    const count = 1 + integer(12 * CUT_LINES);
    const file = Array.from({ length: count }, (_, at) =>
      integer(2) === 0 ? taskLine(`a${at}`, pick(names)) : line(`a${at}`),
    );
    for (let fault = integer(3); fault > 0; fault -= 1) {
      file[integer(count)] = pick([
        taskLine(`a${integer(count)}`, 'x'),
        taskLine('f', 'unknown'),
        taskLine('f', 'x', { model: 'm' }),
        taskLine('f', 7),
        taskLine('f', 'x', { state: null }),
        '{"task":"x"',
        '',
      ]);
    }
    const names_ = { catalog, allowed: null, tasks: new FileTasks(tasks, catalog) };
    const bytes = Buffer.from(file.join('\n'));
    const whole = await checkBatchFile(bytes, names_, ownTurns()).catch((error: Refusal) => error);
    const result = await take(file, tasks, integer(3));
    if (whole !== undefined) {
      t.match(result, { ok: false, type: whole.type, message: whole.message, details: whole.details });
      continue;
    }
    if (!result.ok) throw new Error(result.message);
    const sent = file.filter((each) => each !== '').map((each) => JSON.parse(each));
    t.strictSame(
      opened(result).map(({ customId, model, task: asked, body }) => [customId, model, asked, String(body)]),
      sent.map((each) => {
        const own = tasks.find(({ name }) => name === each.task);
        const asked = own === undefined ? null : { id: own.id, name: own.name, version: own.version };
        return [each.custom_id, own?.model ?? 'm', asked, JSON.stringify(each)];
      }),
    );
    const text = result.chunks.map(({ ids }) => ids.length).reduce((all, length) => all + length, 0);
    t.ok(text < sent.length * 40 + result.chunks.length * 300, 'the ids name each task of a chunk once');
  }
});
