// Model files that cannot be used: one line and status 1, from the check and from the server alike. The short scale runs
// the commands on one file of each kind; engine/check-model tests every file in both scales.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { type MetadataValue, type TinyModelOptions, tinyProjector } from '../../models/tiny/index.js';
import { checkBuilds } from '../../src/cli/check-models.js';
import { Catalog, readManifest } from '../../src/engine/index.js';
import { loadSettings } from '../../src/settings/index.js';
import { decider, run } from '../support/cli.js';
import { withoutNumbers, withValue } from '../support/gguf-file.js';
import { LONG } from '../support/scale.js';
import { dataFolder, modelsFolder, writeModels } from '../support/server.js';

/** The check, and `serve` if it is `served`, refuses the models of a folder in one line that names the file. */
async function areRefused(t: Test, models: string, file: string, reason: RegExp, served: boolean) {
  const environment = { DECIDER_MODELS: models, DECIDER_PORT: '0', DECIDER_ENGINE_BACKEND: 'cpu' };
  const ended = [
    run(t, ['models', 'check'], environment),
    ...(served ? [decider(t, ['serve'], environment).end()] : []),
  ];
  for (const { code, stderr } of await Promise.all(ended)) {
    t.equal(code, 1);
    t.match(stderr, new RegExp(`^\\S*${file}\\.gguf: [^\\p{Cc}]+\\n$`, 'u'));
    t.match(stderr, reason);
  }
}

const catalogOf = async (models: string) => new Catalog(await readManifest(models), models);

const settingsFor = (models: string) =>
  loadSettings({ DECIDER_MODELS: models, DECIDER_ENGINE_BACKEND: 'cpu' }, undefined);

const number = (value: number): MetadataValue => ({ type: 'uint32', value });
const text = (value: string): MetadataValue => ({ type: 'string', value });
const LOOP = '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}';

const LOOPS = text(LOOP);

const METADATA: ReadonlyArray<readonly [key: string, value: MetadataValue, reason: RegExp]> = [
  ['gemma4.attention.value_length', number(1), /GGML_ASSERT/],
  ['gemma4.block_count', number(0), /GGML_ASSERT/],
  ['gemma4.rope.dimension_count', number(3), /GGML_ASSERT/],
  ['gemma4.rope.freq_base', { type: 'float32', value: 0 }, /not a number/],
  ['tokenizer.chat_template', LOOPS, /takes more than \d+ ms/],
];

for (const [key, value, reason] of LONG ? METADATA : METADATA.slice(-1)) {
  test(`hostile metadata, ${key}: one line and status 1`, async (t) => {
    const options: TinyModelOptions = { layers: 2, globalEvery: 2, metadata: { [key]: value } };
    await areRefused(t, modelsFolder(t.testdir(), options), 'tiny', reason, LONG);
  });
}

const PROJECTORS = [
  ['that is truncated', tinyProjector({ kind: 'gemma4v' }).subarray(0, 100_000)],
  ['that ends the process', withValue(tinyProjector({ kind: 'gemma4v' }), 'clip.vision.patch_size', 7)],
  ['whose weights are no numbers', withoutNumbers(tinyProjector({ kind: 'gemma4uv' }))],
] as const;

for (const [fault, projector] of LONG ? PROJECTORS : PROJECTORS.slice(0, 1)) {
  test(`a projector ${fault}: one line and status 1`, async (t) => {
    await areRefused(t, writeModels(t.testdir(), undefined, projector), 'tiny-projector', /gguf: ./, LONG);
  });
}

/** What may stand where a file should. */
const PLACES: Readonly<Record<string, (path: string, t: Test) => void | Promise<void>>> = {
  'a FIFO': (path) => {
    execFileSync('mkfifo', [path]);
  },
  'a directory': (path) => {
    mkdirSync(path);
  },
  '/dev/zero': (path) => symlinkSync('/dev/zero', path),
  'a socket': async (path, t) => {
    // The address of a socket has at most 107 bytes.
    const socket = join(dataFolder(t), 'socket');
    const server = createServer().listen(socket);
    t.teardown(() => server.close());
    await once(server, 'listening');
    symlinkSync(socket, path);
  },
  'a link to nothing': (path) => symlinkSync('nothing', path),
  'an empty file': (path) => writeFileSync(path, ''),
};

/** Of those that are found in another way. */
const REASONS: Readonly<Record<string, RegExp>> = {
  'a link to nothing': /: no such file$/m,
  'an empty file': /: it is an empty file\. Download it again\.$/m,
};

for (const [kind, make] of Object.entries(PLACES)) {
  // Every file is opened in the same way: the projector's is tried where opening it could block.
  for (const file of kind === 'a FIFO' ? ['tiny', 'tiny-projector'] : ['tiny']) {
    test(`${kind} in the place of ${file}.gguf: one line and status 1`, async (t) => {
      const models = modelsFolder(t.testdir(), {}, {}, 'gemma4uv');
      const path = join(models, `${file}.gguf`);
      rmSync(path);
      await make(path, t);
      const reason = REASONS[kind] ?? /: not a regular file$/m;
      if (LONG || kind === 'a FIFO') await areRefused(t, models, file, reason, LONG || file === 'tiny');
      else
        await t.rejects(checkBuilds(settingsFor(models), await catalogOf(models), [], () => {}).next(), {
          message: reason,
        });
    });
  }
}
