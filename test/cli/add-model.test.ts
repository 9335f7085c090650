// `decider models add` and `models remove`.
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { tinyModel, tinyProjector } from '../../models/tiny/index.js';
import { lockFile } from '../../src/base/index.js';
import {
  Catalog,
  editManifest,
  filesOf,
  type Manifest,
  readManifest,
  verifyChecksum,
} from '../../src/engine/index.js';
import { serveAlone } from '../../src/storage/data-folder/serving.js';
import { openStore } from '../../src/storage/folder/index.js';
import { decider, run as runCommand } from '../support/cli.js';
import { sha256 } from '../support/hub/stub.js';
import { LONG } from '../support/scale.js';
import { dataFolder, modelsFolder } from '../support/server.js';
import { splitName, splitTinyModel } from '../support/split-gguf.js';
import { until } from '../support/until.js';

const text = (value: string) => ({ type: 'string' as const, value });

/** A folder for files, and a models folder with the model `tiny`. */
function setUp(t: Test) {
  const files = dataFolder(t);
  const models = modelsFolder(dataFolder(t));
  const environment = { DECIDER_MODELS: models, DECIDER_ENGINE_BACKEND: 'cpu', DECIDER_DATA: dataFolder(t) };
  const run = (args: string[]) => runCommand(t, ['models', ...args], environment);
  const file = (name: string, bytes: Buffer) => {
    writeFileSync(join(files, name), bytes);
    return join(files, name);
  };
  const build = async (id: string) => new Catalog(await readManifest(models), models).find(id);
  return { files, models, environment, run, file, build };
}

test('a stock chat model: put into the models folder, with what to do next; then removed with its files', async (t) => {
  const { models, run, file, build } = setUp(t);
  const source = file('Chat-Q8_0.gguf', tinyModel());
  const added = await run(['add', source, '--id', 'chat', '--date', '20260203']);
  t.equal(added.code, 0, added.stderr);
  t.match(
    added.stdout,
    /^chat-20260203 .*models\/chat-20260203\/Chat-Q8_0\.gguf\n {2}profile +letters \(from the default\)/,
  );
  t.match(
    added.stderr,
    /has no decision metadata; the profile is letters\. Measure its answers with: decider eval/,
  );
  t.match(
    added.stderr,
    /^The price class is decider-g-12b: 0\.0015 GBP per million input tokens, in batches 0\.00075 GBP\. --price-class names another of: decider-g-12b, decider-g-31b\.$/m,
  );
  const listed = await build('chat');
  t.ok(listed && (await verifyChecksum(listed)));
  const removed = await run(['remove', 'chat']);
  t.equal(removed.code, 0, removed.stderr);
  t.match(removed.stdout, /^tiny-20260101 /, 'the check of the others');
  t.match(removed.stderr, /^deleted .*Chat-Q8_0\.gguf\n$/);
  t.strictSame(readdirSync(models).sort(), ['manifest.json', 'manifest.json.lock', 'tiny.gguf']);
  t.ok(existsSync(source));
});

test('a model with decision metadata, in place; removing it leaves the file', async (t) => {
  const { run, file, build } = setUp(t);
  const metadata = {
    'gemma4.decision.type': text('openjev'),
    'tokenizer.chat_template.systemone': text(
      '{{ state }}{{ instructions }}{% for o in options %}{{ o.key }}{{ o.description }}{% endfor %}(',
    ),
  };
  const source = file('decision.gguf', tinyModel({ metadata }));
  const { code, stdout, stderr } = await run([
    'add',
    source,
    '--in-place',
    '--profile',
    'mapika',
    '--default',
  ]);
  t.equal(code, 0, stderr);
  t.match(stdout, /profile +openjev \(from the gguf\)/);
  t.match(stderr, /--profile has no effect: the GGUF of decision-\d{8} declares the profile openjev/);
  t.equal((await build('decision'))?.path, source);
  if (!LONG) return;
  const removed = await run(['remove', 'decision', '--force', '--json']);
  t.equal(removed.code, 0, removed.stderr);
  t.match(JSON.parse(removed.stdout), [{ build: 'tiny-20260101' }]);
  t.match(removed.stderr, /answered by tiny from the next start or decider reload on/);
  t.match(removed.stderr, /decision\.gguf is outside the models folder and was not deleted/);
  t.ok(existsSync(source));
});

test('a damaged model and a file of another kind: the manifest is as before', async (t) => {
  const { files, models, run, file } = setUp(t);
  const before = readFileSync(join(models, 'manifest.json'), 'utf8');
  const whole = tinyModel();
  const cut = await run(['add', file('cut.gguf', whole.subarray(0, 60_000))]);
  t.equal(cut.code, 1);
  t.match(
    cut.stderr,
    /cut\.gguf: [^\n]+ The manifest is unchanged\. Compare the SHA-256 of the file with that of its source/,
  );
  t.match(
    cut.stderr,
    `${join(files, 'cut.gguf')}: `,
    'the file that is there, not the copy that was deleted',
  );
  t.notMatch(cut.stderr, models);
  const text = await run(['add', file('notes.gguf', Buffer.from('no model'))]);
  t.match(text.stderr, /notes\.gguf: not a GGUF file\. Convert the model/);
  t.equal(readFileSync(join(models, 'manifest.json'), 'utf8'), before);
  t.strictSame(readdirSync(models).sort(), ['manifest.json', 'manifest.json.lock', 'tiny.gguf']);
});

test('two commands add the same file: one build; another file of that name is refused', async (t) => {
  const { models, environment, file, build } = setUp(t);
  const add = (source: string, id = 'chat') =>
    decider(t, ['models', 'add', source, '--id', id, '--date', '20260203'], environment).end();
  const source = file('Chat.gguf', tinyModel());
  for (const { code, stderr } of await Promise.all([add(source), add(source)])) t.equal(code, 0, stderr);
  const listed = await build('chat');
  t.ok(listed && (await verifyChecksum(listed)));
  t.equal((await readManifest(models)).models.length, 2);
  t.strictSame(readdirSync(join(models, 'chat-20260203')), ['Chat.gguf']);
  mkdirSync(join(models, 'other-20260203'));
  writeFileSync(join(models, 'other-20260203', 'Chat.gguf'), 'kept');
  const refused = await add(source, 'other');
  t.match(refused.stderr, /other-20260203\/Chat\.gguf exists already, with other contents than /);
  t.equal(readFileSync(join(models, 'other-20260203', 'Chat.gguf'), 'utf8'), 'kept');
});

test('a signal ends a command without a trace, even of the folder', async (t) => {
  const { files, environment, file } = setUp(t);
  const source = file('Chat.gguf', tinyModel());
  const models = join(files, 'new');
  const adding = decider(t, ['models', 'add', source, '--id', 'chat', '--date', '20260203'], {
    ...environment,
    DECIDER_MODELS: models,
  });
  // From the first moment of the folder on, so that the command cannot finish: this process has the lock.
  await until(() => existsSync(models));
  writeFileSync(join(models, 'manifest.json.lock'), '');
  const unlock = lockFile(join(models, 'manifest.json.lock'));
  await until(() => existsSync(join(models, 'chat-20260203', 'Chat.gguf')));
  adding.child.kill('SIGTERM');
  unlock?.();
  const { code, stderr } = await adding.end();
  t.equal(stderr, 'Stopped. The manifest is unchanged.\n');
  t.equal(code, 130);
  t.notOk(existsSync(models));
});

test('a model and a projector of the same name are refused, before anything is copied', async (t) => {
  const { files, models, run, file } = setUp(t);
  const model = file('images.gguf', tinyModel());
  mkdirSync(join(files, 'projector'));
  writeFileSync(join(files, 'projector', 'images.gguf'), tinyProjector({ kind: 'gemma4uv' }));
  const { code, stderr } = await run(['add', model, '--projector', join(files, 'projector', 'images.gguf')]);
  t.equal(code, 1);
  t.match(stderr, /images\.gguf and \S+projector\/images\.gguf have the same file name\. Rename one/);
  t.strictSame(readdirSync(models).sort(), ['manifest.json', 'tiny.gguf']);
});

test('a split model by one of its files, with a projector; a file in the models folder stays where it is', async (t) => {
  const { models, run, file, build } = setUp(t);
  const parts = splitTinyModel(2).map((bytes, at) => file(splitName('images', at, 2), bytes));
  const projector = file('mmproj-images.gguf', tinyProjector({ kind: 'gemma4uv' }));
  const { code, stdout, stderr } = await run(['add', parts[1] as string, projector]);
  t.equal(code, 0, stderr);
  t.match(stdout, /images +gemma4uv/);
  const added = await build('images');
  t.ok(added && filesOf(added).length === 3);
  if (!LONG) return;
  mkdirSync(join(models, 'own'));
  linkSync(join(models, 'tiny.gguf'), join(models, 'own', 'same.gguf'));
  symlinkSync(join(models, 'own', 'same.gguf'), join(models, 'link.gguf'));
  const linked = await run(['add', join(models, 'link.gguf'), '--id', 'linked']);
  t.equal(linked.code, 0, linked.stderr);
  t.equal((await build('linked'))?.path, join(models, 'link.gguf'));
});

test('a model is not removed while a server uses the data folder, nor if the others fail their check', async (t) => {
  const { models, environment, run, build } = setUp(t);
  const bytes = tinyModel({ seed: 2 });
  writeFileSync(join(models, 'more.gguf'), bytes);
  await editManifest(models, (manifest) => {
    const [tiny] = manifest.models as [Manifest['models'][number]];
    const build = { date: '20260101', file: 'more.gguf', sha256: sha256(bytes) };
    return { default: 'more', models: [tiny, { ...tiny, id: 'more', builds: [build] }] };
  });
  await openStore(environment.DECIDER_DATA).close();
  const leave = serveAlone(environment.DECIDER_DATA);
  const served = await run(['remove', 'tiny']);
  leave();
  t.equal(served.code, 1);
  t.match(
    served.stderr,
    /^tiny may be in use by the server of \S+, process \d+ on .*\. Stop it first, or give --force/,
  );
  const { path } = (await build('more')) as { path: string };
  writeFileSync(path, 'GGUF damaged');
  const failed = await run(['remove', 'tiny']);
  t.equal(failed.code, 1);
  t.match(
    failed.stderr,
    /more\.gguf: its SHA-256 is .* The manifest is unchanged\. To remove tiny anyway, give --force\.\n$/,
  );
  t.ok(await build('tiny'));
  const forced = await run(['remove', 'tiny', '--force']);
  t.equal(forced.code, 0, forced.stderr);
  t.notOk(await build('tiny'));
  t.notOk(existsSync(join(models, 'tiny.gguf')));
});
