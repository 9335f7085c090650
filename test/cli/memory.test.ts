import { existsSync, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { type TinyModelOptions, writeTinyModel } from '../../models/tiny/index.js';
import { decider, run as runCommand } from '../support/cli.js';
import { modelsFolder } from '../support/server.js';

/** A small file whose KV cache takes 98 KB per cell. */
const LARGE_CACHE: TinyModelOptions = {
  layers: 2,
  globalEvery: 2,
  heads: 16,
  keyValueHeads: 16,
  globalKeyValueHeads: 16,
  headSize: 512,
  globalHeadSize: 1_024,
  width: 32,
  type: 'f16',
};

/** Of the same model, 100 MB. */
const SMALL = { DECIDER_ENGINE_CONTEXTS: '1', DECIDER_ENGINE_CELLS: '1024' };

/** Needs 800 GB. */
const ENVIRONMENT = {
  DECIDER_ENGINE_BACKEND: 'cpu',
  DECIDER_ENGINE_CELLS: '1048576',
  DECIDER_ENGINE_CONTEXTS: '8',
  DECIDER_ENGINE_MEMORY_CHECK: 'true',
  DECIDER_PORT: '0',
};

const REFUSAL =
  /^\S+: not enough memory: \d+\.\d GB \(weights \d+ MB, KV cache [^)]+\) of RAM needed, [\d.]+ [MG]B free\. Settings that fit: [^\n]+ To load it anyway, set engine\.memory_check to false\.( The manifest is unchanged\.)?$/;

/** The settings that a refusal suggests, as environment variables. */
function suggested(refusal: string): Record<string, string> {
  const [, contexts = '', cells = ''] =
    /Settings that fit: engine\.contexts (\d+) and engine\.cells (\d+) /.exec(refusal) ?? [];
  return { DECIDER_ENGINE_CONTEXTS: contexts, DECIDER_ENGINE_CELLS: cells };
}

const MEMORY_LINE = /\n {2}memory {8}RAM [\d.]+ [MG]B \(weights \d+ MB, [^)]+\), [\d.]+ [MG]B free\n/;

test('a model that does not fit: serve, models check and doctor say so in one line, with settings that fit', async (t) => {
  const environment = { ...ENVIRONMENT, DECIDER_MODELS: modelsFolder(t.testdir(), LARGE_CACHE) };
  const run = (args: string[], more = {}) => runCommand(t, args, { ...environment, ...more });
  const [served, checked, examined] = await Promise.all([
    decider(t, ['serve'], environment).end(),
    run(['models', 'check']),
    run(['doctor', '--json']),
  ]);
  for (const { code, stderr } of [served, checked]) {
    t.equal(code, 1);
    t.match(stderr.trimEnd(), REFUSAL);
  }
  t.equal(examined.code, 1);
  const findings = JSON.parse(examined.stdout) as Array<{ check: string; ok: boolean; detail: string }>;
  t.match(
    findings.find(({ check }) => check === 'memory'),
    { ok: false, detail: REFUSAL },
  );

  const allowed = { DECIDER_ENGINE_MEMORY_CHECK: 'false' };
  for (const more of [suggested(checked.stderr), allowed]) {
    const { code, stdout, stderr } = await run(['models', 'check'], more);
    t.equal(code, 0, stderr);
    t.match(stdout, MEMORY_LINE);
  }
  const server = decider(t, ['serve'], { ...environment, ...SMALL });
  await server.line(/^listening on/);
});

test('models add: a model that does not fit is not added; with settings that fit it is', async (t) => {
  const folder = t.testdir();
  const file = join(folder, 'large-cache.gguf');
  writeTinyModel(file, LARGE_CACHE);
  const models = join(folder, 'models');
  const add = (more = {}) =>
    runCommand(t, ['models', 'add', file], { ...ENVIRONMENT, DECIDER_MODELS: models, ...more });
  const refused = await add();
  t.equal(refused.code, 1);
  t.match(refused.stderr.trimEnd(), REFUSAL);
  t.match(refused.stderr, /The manifest is unchanged\.\n$/);
  t.notOk(existsSync(join(models, 'manifest.json')));
  t.same(existsSync(models) ? readdirSync(models) : [], [], 'no file is left');
  const added = await add(suggested(refused.stderr));
  t.equal(added.code, 0, added.stderr);
  t.match(added.stdout, MEMORY_LINE);
});

test('models add: a file larger than all memory is refused before it is read', async (t) => {
  const folder = t.testdir();
  const file = join(folder, 'huge.gguf');
  writeTinyModel(file);
  // The file has a hole, which takes no space.
  truncateSync(file, 2 ** 43);
  const { code, stderr } = await runCommand(t, ['models', 'add', file], {
    ...ENVIRONMENT,
    DECIDER_MODELS: join(folder, 'models'),
  });
  t.equal(code, 1);
  t.match(
    stderr,
    /^\S*huge\.gguf: not enough memory: its files have 8796\.1 GB, and this machine has [\d.]+ GB of RAM\. Use a smaller quantization\. To install it anyway, set engine\.memory_check to false\.\n$/,
  );
});
