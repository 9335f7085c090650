// `decider models pull` against a hub on loopback: afterwards a model is either complete and listed, or absent.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Test, test } from 'tap';
import { tinyModel, tinyProjector } from '../../models/tiny/index.js';
import {
  Catalog,
  type CatalogBuild,
  editManifest,
  filesOf,
  type Manifest,
  readManifest,
  verifyChecksum,
} from '../../src/engine/index.js';
import { type Command, decider, run } from '../support/cli.js';
import { HubStub, sha256 } from '../support/hub/stub.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { LONG, scaled } from '../support/scale.js';
import { dataFolder, modelsFolder } from '../support/server.js';
import { splitName, splitTinyModel } from '../support/split-gguf.js';

const MODEL = tinyModel();
const PROJECTOR = tinyProjector({ kind: 'gemma4uv' });
const SPLIT = Object.fromEntries(
  splitTinyModel(3).map((bytes, at) => [splitName('split-Q8_0', at, 3), bytes]),
);
const TOKEN = 'hf_secret';

const REPOSITORIES = {
  'o/Tiny-GGUF': {
    files: {
      'README.md': Buffer.from('x'),
      'Tiny-Q8_0.gguf': MODEL,
      'Tiny-F16.gguf': Buffer.from('GGUF other'),
    },
  },
  'o/images': { files: { 'images.gguf': MODEL, 'mmproj-F16.gguf': PROJECTOR } },
  'o/split': { files: SPLIT },
  'o/gated': { files: { 'gated.gguf': MODEL }, token: TOKEN },
  'o/broken': { files: { 'broken.gguf': MODEL.subarray(0, 50_000), 'mmproj.gguf': PROJECTOR } },
};

/** A stub, and a models folder with one model in it. */
async function hub(t: Test) {
  const stub = await HubStub.start(t, REPOSITORIES);
  const models = modelsFolder(dataFolder(t));
  const environment = { ...stub.environment, DECIDER_MODELS: models, DECIDER_ENGINE_BACKEND: 'cpu' };
  const pull = (args: string[], own: Record<string, string> = {}) =>
    run(t, ['models', 'pull', ...args], { ...environment, ...own });
  /** In a process of its own. */
  const start = (args: string[], shell = '') => decider(t, ['models', 'pull', ...args], environment, shell);
  return { stub, models, pull, start };
}

/** Whether the manifest lists a model; if it does, its files must be complete. */
async function isListed(models: string, id: string): Promise<boolean> {
  const build = new Catalog(await readManifest(models), models).find(id);
  if (build === undefined) return false;
  await verifyChecksum(build);
  return true;
}

const partsIn = (models: string) =>
  existsSync(join(models, '.downloads')) ? readdirSync(join(models, '.downloads')) : [];

/** Names of files that are not complete, outside the folder for them. */
function incomplete(models: string): string[] {
  const whole = new Set(Object.values(REPOSITORIES).flatMap(({ files }) => Object.values(files).map(sha256)));
  const root = join(models, 'o');
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => join(root, name))
    .filter((path) => statSync(path).isFile() && !whole.has(sha256(readFileSync(path))));
}

test('a quantization is downloaded, checked and listed; a second pull downloads nothing, a third repairs it', async (t) => {
  const { stub, models, pull } = await hub(t);
  const first = await pull(['hf:o/Tiny-GGUF:q8_0']);
  t.equal(first.code, 0, first.stderr);
  t.match(
    first.stdout,
    /^tiny-q8-0-20261101 {2}.*o\/Tiny-GGUF\/0123456789ab\/Tiny-Q8_0\.gguf\n {2}profile +letters \(from the default\)/,
  );
  t.match(first.stdout, / {2}first answer /);
  t.match(first.stderr, /^Downloading Tiny-Q8_0\.gguf, .* MB\n/);
  t.match(first.stderr, /Requests that name no model still use tiny; --default changes that\./);
  t.match(first.stderr, /has no decision metadata; the profile is letters/);
  t.ok(await isListed(models, 'tiny-q8-0'));
  const manifest = await readManifest(models);
  t.match(manifest.models[1], {
    id: 'tiny-q8-0',
    description: 'Tiny-GGUF, Q8_0, from hf:o/Tiny-GGUF@0123456789ab.',
    release_date: '2026-11-01',
    builds: [{ date: '20261101', file: 'o/Tiny-GGUF/0123456789ab/Tiny-Q8_0.gguf', sha256: sha256(MODEL) }],
    reads_images: false,
    price_class: 'decider-g-12b',
  });
  t.strictSame(partsIn(models), []);
  const requests = stub.offsets('Tiny-Q8_0.gguf').length;
  const second = await pull(['hf:o/Tiny-GGUF:Q8_0', '--json']);
  t.match(JSON.parse(second.stdout), [{ build: 'tiny-q8-0-20261101' }]);
  t.match(second.stderr, /tiny-q8-0-20261101 has these files already/);
  t.equal(stub.offsets('Tiny-Q8_0.gguf').length, requests);
  t.strictSame(await readManifest(models), manifest);

  // As if it had been pulled at another commit and then damaged; the new place has a damaged file too.
  const file = 'o/Tiny-GGUF/0123456789ab/Tiny-Q8_0.gguf';
  const older = 'o/Tiny-GGUF/ba9876543210/Tiny-Q8_0.gguf';
  mkdirSync(dirname(join(models, older)));
  for (const path of [file, older]) writeFileSync(join(models, path), Buffer.alloc(MODEL.length));
  await editManifest(models, (before) => JSON.parse(JSON.stringify(before).replace(file, older)));
  const repaired = await pull(['hf:o/Tiny-GGUF:Q8_0']);
  t.equal(repaired.code, 0, repaired.stderr);
  t.match(repaired.stderr, /ba9876543210\S+: its SHA-256 is .*; downloading the model again\n/);
  t.match(repaired.stderr, /tiny-q8-0-20261101 now refers to the files that were downloaded\./);
  t.ok(await isListed(models, 'tiny-q8-0'));
  t.strictSame(await readManifest(models), manifest);
  if (!LONG) return;
  writeFileSync(join(models, file), MODEL.subarray(0, 1_000));
  const again = await pull(['hf:o/Tiny-GGUF:Q8_0']);
  t.equal(again.code, 0, again.stderr);
  t.ok(await isListed(models, 'tiny-q8-0'));
});

test('a model with a projector, with all options, into a folder without a manifest', async (t) => {
  const { pull } = await hub(t);
  const models = join(dataFolder(t), 'new');
  const own = { DECIDER_MODELS: models, DECIDER_BILLING_PRICES: 'a=1/1,b=2/1' };
  const options = ['--id', 'big', '--date', '20260203', '--description', 'Big.', '--profile', 'mapika'];
  const { code, stdout, stderr } = await pull(
    ['hf:o/images', ...options, '--context-length', '4096', '--price-class', 'b'],
    own,
  );
  t.equal(code, 0, stderr);
  t.match(stdout, /profile +mapika \(from the manifest\)\n {2}context +4096 tokens\n {2}images +gemma4uv/);
  const manifest = await readManifest(models);
  t.equal(manifest.default, 'big');
  t.match(manifest.models[0], {
    id: 'big',
    description: 'Big.',
    builds: [{ date: '20260203', sha256: sha256(MODEL), projector: { sha256: sha256(PROJECTOR) } }],
    profile: 'mapika',
    context_length: 4_096,
    reads_images: true,
    price_class: 'b',
  });
  t.ok(await isListed(models, 'big'));
});

test('a gated model: what to do without a token; with one, it is never shown', async (t) => {
  const { stub, models, pull } = await hub(t);
  const gated = await pull(['hf:o/gated']);
  t.equal(gated.code, 1);
  t.match(
    gated.stderr,
    /access is restricted\. Accept the conditions at http:\/\/127\.0\.0\.1:\d+\/o\/gated, create a token .* and set HF_TOKEN/,
  );
  t.notOk(stub.received.some(({ host }) => host === 'storage'));
  t.equal((await readManifest(models)).models.length, 1);
  if (!LONG) return;
  const right = await pull(['hf:o/gated'], { HF_TOKEN: TOKEN });
  t.equal(right.code, 0, right.stderr);
  t.notMatch(right.stderr + right.stdout, /hf_secret|signature/);
  t.ok(await isListed(models, 'gated'));
});

test('a file that cannot be loaded: absent, with the files to delete, but not those of another build', async (t) => {
  const { models, pull } = await hub(t);
  const list = (file: string) =>
    editManifest(models, (manifest) => {
      const [first] = manifest.models as [Manifest['models'][number]];
      const builds = [{ date: '20260101', file, sha256: sha256(PROJECTOR) }];
      return { ...manifest, models: [first, { ...first, id: 'other', answers_for: [], builds }] };
    });
  for (const [used, left] of [
    ['o/broken/0123456789ab/mmproj.gguf', 'broken.gguf'],
    ...(LONG ? [['o/broken/0123456789ab/other.gguf', 'broken.gguf, \\S+mmproj.gguf'] as const] : []),
  ] as const) {
    await list(used);
    const broken = await pull(['hf:o/broken']);
    t.equal(broken.code, 1);
    t.match(
      broken.stderr,
      new RegExp(
        `broken\\.gguf: .* The manifest is unchanged\\. The downloaded files stay, so .* delete \\S+o/broken/0123456789ab/${left}\\. Other options may help: .* --projector none\\.`,
      ),
    );
  }
  t.equal((await readManifest(models)).models.length, 2);
  t.strictSame(partsIn(models), []);
});

test('killed, interrupted and without room on the disk: absent, and then continued', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const { integer } = random(seed);
  const { stub, models, pull, start } = await hub(t);
  const reference = 'hf:o/Tiny-GGUF:Q8_0';
  const isAbsent = async () => {
    t.notOk(await isListed(models, 'tiny-q8-0'));
    t.strictSame(incomplete(models), []);
  };
  /** A pull whose connection falls silent at a random offset, once it has. */
  const stalled = async () => {
    stub.deliver = (_, offset) => ({ stallAfter: integer(MODEL.length - offset) });
    const before = stub.offsets('Tiny-Q8_0.gguf').length;
    const command = start([reference]);
    while (stub.offsets('Tiny-Q8_0.gguf').length === before) await sleep(5);
    await sleep(integer(30));
    return command;
  };
  for (let round = 0; round < scaled({ short: 1, long: 8 }); round += 1) {
    const killed = await stalled();
    killed.child.kill('SIGKILL');
    await killed.end();
    await isAbsent();
  }
  if (LONG) {
    const interrupted = await stalled();
    interrupted.child.kill('SIGINT');
    const { code, stderr } = await interrupted.end();
    t.equal(code, 130);
    t.match(
      stderr,
      /Stopped\. To continue: decider models pull hf:o\/Tiny-GGUF:Q8_0, with the same options\n$/,
    );
    await isAbsent();
  }
  stub.deliver = () => ({});
  if (spawnSync('prlimit', ['--version']).status === 0) {
    // A file can grow by no byte more.
    const [part = ''] = partsIn(models);
    const size = part === '' ? 0 : statSync(join(models, '.downloads', part)).size;
    const full = await start([reference], `prlimit --pid $$ --fsize=${size}: ;`).end();
    t.equal(full.code, 1);
    t.match(
      full.stderr,
      /\.part: the disk is full or the file too large for it \(EFBIG\)\. Free space; the same command continues/,
    );
    await isAbsent();
  } else t.comment('SKIPPED: there is no prlimit here');
  const last = await pull([reference]);
  t.equal(last.code, 0, last.stderr);
  t.ok(await isListed(models, 'tiny-q8-0'));
  t.strictSame(partsIn(models), []);
});

test('two pulls of one split model at the same time: one downloads, both succeed', async (t) => {
  const { stub, models, start } = await hub(t);
  const both: Command[] = [start(['hf:o/split']), start(['hf:o/split'])];
  for (const { code, stderr } of await Promise.all(both.map((command) => command.end())))
    t.equal(code, 0, stderr);
  for (const path of Object.keys(SPLIT)) t.strictSame(stub.offsets(path), [0], path);
  t.ok(await isListed(models, 'split-q8-0'));
  const manifest = await readManifest(models);
  t.equal(manifest.models.length, 2);
  t.equal(filesOf(new Catalog(manifest, models).find('split-q8-0') as CatalogBuild).length, 3);
  t.strictSame(partsIn(models), []);
});
