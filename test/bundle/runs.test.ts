import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { writeBundle } from '../../bundle/write-bundle.js';
import { VERSION } from '../../src/base/index.js';
import { readBundleManifest } from '../../src/cli/bundle-manifest.js';
import { askServer, BundleCommands, flipBit, scratchFolder, WHOLE_BUNDLE } from '../support/bundle.js';
import { run } from '../support/cli.js';
import { ROOT } from '../support/sources.js';

// One bundle of 190 MB for all tests. Its folder is read-only.
const parent = scratchFolder(tap);
const { name, sha256 } =
  'skip' in WHOLE_BUNDLE
    ? { name: '', sha256: '' }
    : await writeBundle(ROOT, parent, { backend: 'cpu', slim: true });
const folder = join(parent, name);
execFileSync('chmod', ['-R', 'a-w', folder]);
const state = join(parent, 'state');
mkdirSync(state);
chmodSync(state, 0o777);
const bundle = new BundleCommands(folder, state);

test('a bundle has its version, and verifies itself', WHOLE_BUNDLE, async (t) => {
  t.strictSame(bundle.run(['--version']), { status: 0, stdout: VERSION, stderr: '' });
  const { status, stdout, stderr } = bundle.run(['verify-bundle']);
  t.match({ status, stderr }, { status: 0, stderr: '' });
  t.match(stdout, new RegExp(`^ok +bundle +${name}, Node\\.js ${process.versions.node}, for glibc `));
  t.match(stdout, `the SHA-256 of bundle.json is ${sha256}.`);
});

test('a read-only bundle answers, with the data in the state folder of the user', WHOLE_BUNDLE, async (t) => {
  const server = bundle.serve(t);
  t.match(await askServer(server), { model: /^decider-g-nano-/, answers: { angry: { type: 'noul' } } });
  t.notOk(
    server.lines.some((line) => line.startsWith('console: ')),
    'a slim one has no console',
  );
  t.match(bundle.run(['keys', 'list']), { status: 0, stdout: /^key_/m });
  server.child.kill('SIGTERM');
  t.equal((await server.end()).code, 0);
  t.strictSame(readdirSync(join(state, 'decider')), ['data']);
  t.notOk(existsSync(join(folder, 'data')));
});

test('doctor and systemd know that they run from a bundle', WHOLE_BUNDLE, async (t) => {
  const { status, stdout } = bundle.run(['doctor']);
  t.equal(status, 0, stdout);
  t.match(stdout, /^ok +libraries +cpu \d/m);
  t.match(stdout, `ok       backend       CPU`);
  const unit = bundle.run(['systemd'], { DECIDER_ENGINE_BACKEND: 'cpu' }).stdout;
  t.match(unit, `\nExecStart=${folder}/decider serve\n`);
  t.notMatch(unit, /^ReadWritePaths=/m, 'the data of the service are in its own state folder');
  if (spawnSync('systemd-analyze', ['--version']).status !== 0)
    return t.comment('SKIPPED: SYSTEMD-ANALYZE IS NOT INSTALLED: apt-get install systemd');
  const file = join(state, 'decider.service');
  writeFileSync(file, unit.replace(/^After=.*$/m, 'After=network.target'));
  const analyzed = spawnSync('systemd-analyze', ['verify', '--recursive-errors=no', file], {
    encoding: 'utf8',
  });
  t.equal(analyzed.status, 0, analyzed.stderr);
});

test('a bundle names another bundle where a clone would name npm', WHOLE_BUNDLE, async (t) => {
  const server = bundle.serve(t, { DECIDER_ENGINE_BACKEND: 'vulkan' });
  t.match(await server.end(), {
    code: 1,
    stderr:
      /^engine\.backend: the libraries for vulkan are not installed\. Use the bundle for vulkan in place of this one\n$/,
  });
});

test(
  'models are installed outside the folder of the bundle, and its own manifest stays',
  WHOLE_BUNDLE,
  async (t) => {
    const cases = join(parent, 'cases.jsonl');
    writeFileSync(cases, '{}\n');
    const removed = bundle.run(['models', 'remove', 'decider-g-nano', '--force']);
    t.match(removed, { status: 1, stderr: /^The manifest of the embedded model is part of the bundle / });
    t.match(bundle.run(['eval', cases, '--fit']), { status: 1, stderr: removed.stderr });
    t.match(bundle.run(['tune', '--write']), { status: 1, stderr: removed.stderr });
    mkdirSync(join(state, 'decider/models'), { recursive: true });
    writeFileSync(join(state, 'decider/models/manifest.json'), '{}');
    const own = bundle.run(['models', 'list']);
    t.match(own, { status: 1, stderr: join(state, 'decider/models') }, 'a folder of the user comes first');
  },
);

test('a flipped bit is found in code, libraries, Node.js and the model', WHOLE_BUNDLE, async (t) => {
  const { files } = readBundleManifest(folder).manifest;
  const largest = (pattern: RegExp) =>
    files.filter(({ path }) => pattern.test(path)).sort((a, b) => b.size - a.size)[0]?.path as string;
  const changed = [/^bin\/node$/, /\.gguf$/, /libllama/, /^dist\/src\//].map(largest);
  const flip = (path: string) => {
    chmodSync(join(folder, path), 0o755);
    flipBit(join(folder, path));
    chmodSync(join(folder, path), path === 'bin/node' ? 0o555 : 0o444);
  };
  flip('LICENSE');
  const own = bundle.run(['verify-bundle']);
  t.match(own, { status: 1, stdout: /^problem +files +LICENSE has another content\.$/m });
  for (const path of changed) flip(path);
  // The bundle itself may not work any more: another decider reads it.
  const { code, stdout } = await run(t, ['verify-bundle', folder]);
  t.equal(code, 1);
  const found = stdout.split('\n').filter((line) => line.startsWith('problem'));
  t.strictSame(
    found.map((line) => line.replace(/^problem +files +/, '')),
    ['LICENSE', ...changed].sort().map((path) => `${path} has another content.`),
  );
});
