// The GPU kit: what is packed, how run.sh reads its arguments, and how results are kept. At full scale a kit for the CPU runs
// from its archive to its results on a host that has a C library and nothing else.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'tap';
import { keepFiles } from '../../../bench/gpu/compile/kept-files.js';
import { addedEntries, ofBundle, testFiles } from '../../../bench/gpu/kit/kit-entries.js';
import { runCallers } from '../../../bench/gpu/run/closed-loop.js';
import { runCommand } from '../../../bench/gpu/run/command.js';
import { startServer } from '../../../bench/gpu/run/decider-server.js';
import { Kit } from '../../../bench/gpu/run/kit.js';
import { earlierRun, type PartResult, readResults, writeResults } from '../../../bench/gpu/run/results.js';
import { readTap } from '../../../bench/gpu/run/tests.js';
import { timeChanges } from '../../../bench/gpu/run/time-changes.js';
import type { Entry } from '../../../bundle/contents.js';
import type { DecodeBatch } from '../../../src/engine/index.js';
import { WHOLE_BUNDLE } from '../../support/bundle.js';
import { fakeClock } from '../../support/fake-clock.js';
import { ROOT } from '../../support/sources.js';

const entry = (path: string, part: Entry['part'] = 'program'): Entry => ({
  path,
  mode: '0644',
  part,
  content: { text: '' },
});

test('of a bundle, a kit leaves out consoles, pages, the embedded model and the prebuilt CUDA backends', (t) => {
  const cuda = 'native/cuda/node_modules/@node-llama-cpp';
  const kept = [
    entry('bin/node', 'Node.js'),
    entry(`${cuda}/linux-x64-cuda/bins/linux-x64-cuda/libggml-base.so`, 'llama.cpp'),
    entry('models/manifest.schema.json', 'model'),
  ];
  const left = [
    entry('dist/console.json', 'console'),
    entry('docs/tuning.md', 'documentation'),
    entry('models/manifest.json', 'model'),
    entry('models/nano/model.gguf', 'model'),
    entry(`${cuda}/linux-x64-cuda/bins/linux-x64-cuda/libggml-cuda.so`, 'llama.cpp'),
    entry(`${cuda}/linux-x64-cuda-ext/bins/linux-x64-cuda/fallback/libggml-cuda.so`, 'llama.cpp'),
  ];
  t.strictSame(ofBundle([...kept, ...left]), kept);
  t.end();
});

test(
  'a kit has its steps, tests of the engine, tap and node-llama-cpp, and every import leads to a file',
  WHOLE_BUNDLE,
  (t) => {
    const entries = addedEntries(ROOT, 'cpu', { server: null, cuda: null, sources: '' });
    const paths = new Set(entries.map(({ path }) => path));
    for (const path of [
      'dist/bench/gpu/run/main.js',
      'dist/bench/gpu/run/make-model-process.js',
      'dist/bench/gpu/compile/main.js',
      'dist/test/engine/equality.test.js',
      'dist/test/native/parallel-loading.test.js',
      'dist/src/engine/index.js',
      'bench/engine/peer-process.mjs',
      'native/llama/node_modules/node-llama-cpp/dist/index.js',
      'node_modules/tap/dist/esm/index.js',
      'node_modules/@node-llama-cpp/linux-x64/bins/linux-x64/llama-addon.node',
      'models/manifest.json',
    ])
      t.ok(paths.has(path), path);
    t.notOk(paths.has('dist/test/engine/check-model.test.js'));
    t.notOk(
      [...paths].some((path) => path.endsWith('gitRelease.bundle')),
      'not the sources of 36 MB',
    );
    const missing = entries.filter(({ content }) => 'file' in content && !existsSync(content.file));
    t.strictSame(missing, []);
    t.end();
  },
);

const runScript = (...args: string[]) =>
  spawnSync('sh', [join(ROOT, 'bench/gpu/run.sh'), ...args], { encoding: 'utf8' });

test('run.sh accepts one part, 1 to 3, and nothing else', (t) => {
  for (const args of [[], ['0'], ['4'], ['all'], ['']]) {
    const { status, stderr } = runScript(...args);
    t.strictSame([status, stderr], [2, 'usage: sh run.sh 1|2|3\n'], args.join());
  }
  t.match(runScript('1', '--backend', 'cpu'), { status: 2, stderr: /^run\.sh has one argument/ });
  t.end();
});

test('if the archive cannot be unpacked, a file says so, and the results of earlier parts stay', (t) => {
  const folder = t.testdir({
    kit: { 'program.tar.xz': 'not an archive', 'kit.json': '{}' },
    out: { 'gpu-kit.json': '{"parts": {"1": {}}}' },
    // Of another kit.
    work: { unpacked: '{"sha256": ""}', 'decider-kit': { bin: { node: '' } } },
  });
  writeFileSync(join(folder, 'kit/run.sh'), readFileSync(join(ROOT, 'bench/gpu/run.sh')));
  const out = join(folder, 'out');
  const env = { ...process.env, OUT: out, KIT_WORK: join(folder, 'work') };
  const { status } = spawnSync('sh', [join(folder, 'kit/run.sh'), '2'], { env, encoding: 'utf8' });
  t.equal(status, 1);
  t.match(JSON.parse(readFileSync(join(out, 'gpu-kit-error.json'), 'utf8')), {
    error: /^part 2: program\.tar\.xz cannot be unpacked/,
  });
  t.strictSame(readResults([join(out, 'gpu-kit.json')]), { '1': {} });
  t.end();
});

test('results of earlier parts are kept, and a file that was cut off is ignored', (t) => {
  const folder = t.testdir({ cut: '{"parts": {' });
  const [first, second] = [join(folder, 'first'), join(folder, 'second')] as [string, string];
  const part = { started_at: '2026-11-28T00:00:00.000Z', seconds: 5, steps: [] };
  t.strictSame(readResults([first]), {});
  writeResults([first, second], { kit: {}, parts: { '1': part } });
  t.strictSame(readResults([join(folder, 'cut'), second]), { '1': part });
  // The folder of results was emptied between two parts, and the one of work on another machine.
  const later = { ...part, started_at: '2026-11-28T00:10:00.000Z' };
  writeResults([first], { kit: {}, parts: { '2': part, '3': later } });
  writeResults([second], { kit: {}, parts: { '1': part, '2': later, '3': part } });
  t.strictSame(readResults([first, second]), { '1': part, '2': later, '3': later });
  t.notOk(existsSync(`${first}.part`));
  t.end();
});

test('a part that is repeated keeps the run before in which most steps succeeded', (t) => {
  const runOf = (started_at: string, ...states: ('ok' | 'failed')[]): PartResult => ({
    started_at,
    seconds: 1,
    steps: states.map((status, at) => ({ name: `${at}`, status, seconds: 1 })),
  });
  const complete = runOf('1', 'ok', 'ok');
  const cut = runOf('2', 'ok', 'failed');
  t.equal(earlierRun(undefined), undefined);
  t.equal(earlierRun(runOf('0')), undefined);
  t.strictSame(earlierRun(complete), complete);
  t.strictSame(earlierRun({ ...cut, earlier: complete }), complete);
  t.strictSame(earlierRun({ ...runOf('3'), earlier: complete }), complete);
  t.strictSame(earlierRun({ ...complete, earlier: cut }), complete, 'one run is kept, not a chain of them');
  t.strictSame(earlierRun({ ...runOf('4', 'ok', 'ok'), earlier: complete }), runOf('4', 'ok', 'ok'));
  t.end();
});

test('a folder that cannot be written does not keep the results from the other one', (t) => {
  const folder = t.testdir({ full: { 'gpu-kit.json': {} } });
  const [full, free] = [join(folder, 'full/gpu-kit.json'), join(folder, 'gpu-kit.json')] as [string, string];
  const part = { started_at: '2026-11-28T00:00:00.000Z', seconds: 5, steps: [] };
  const missing = join(folder, 'missing/gpu-kit.json');
  t.match(writeResults([full, missing, free], { kit: {}, parts: { '1': part } }), [
    { file: full, message: / cannot be written: E/ },
    { file: missing, message: / cannot be written: ENOENT/ },
  ]);
  t.notOk(existsSync(`${full}.part`), 'it takes no space');
  t.strictSame(readResults([full, missing, free]), { '1': part });
  t.end();
});

test('a kit for CUDA leaves out the test that needs node-llama-cpp on the CPU', (t) => {
  const [cpu, cuda] = (['cpu', 'cuda'] as const).map((backend) => testFiles(ROOT, backend));
  const left = cpu?.filter((file) => !cuda?.includes(file));
  t.strictSame(left, ['dist/test/engine/independent.test.js']);
  t.end();
});

test('compiled files are kept only while they would be made from the same', (t) => {
  const folder = t.testdir({ objects: { 'old.o': '' }, library: '' });
  const [objects, library] = [join(folder, 'objects'), join(folder, 'library')] as [string, string];
  const object = join(objects, 'new.o');
  const keep = (...madeFrom: string[]) => {
    keepFiles(objects, madeFrom, [library]);
    return [existsSync(object), existsSync(library)];
  };
  t.strictSame(keep('v1', '-O2'), [false, false], 'it is not known what they were made from');
  t.notOk(existsSync(join(objects, 'old.o')));
  for (const file of [object, library]) writeFileSync(file, '');
  t.strictSame(keep('v1', '-O2'), [true, true]);
  t.strictSame(keep('v2', '-O2'), [false, false]);
  t.end();
});

test('what a change between decodes of text and of images takes', (t) => {
  const clock = fakeClock();
  let wasCausal = true;
  const context = {
    clear() {},
    decode({ causal, embeddings, positions }: DecodeBatch) {
      t.equal(embeddings?.length, causal ? undefined : positions.length * 4);
      clock.pass((causal ? 20 : 30) + (causal === wasCausal ? 0 : 7));
      wasCausal = causal;
      return new Float32Array(1);
    },
  };
  t.strictSame(timeChanges(context, 4, clock), { text_ms: 20, image_ms: 30, change_ms: 7 });
  t.end();
});

test('a server that cannot be prepared is ended', async (t) => {
  const folder = t.testdir();
  const program = join(folder, 'bin/decider.mjs');
  mkdirSync(dirname(program));
  const note = join(folder, 'pid');
  // A server that becomes ready and never ends, whose limits cannot be set.
  writeFileSync(
    program,
    `import { writeFileSync } from 'node:fs';
if (process.argv[2] !== 'serve') process.exit(1);
writeFileSync(${JSON.stringify(note)}, String(process.pid));
console.log('listening on http://127.0.0.1:1\\ntoken: dk_none');
setInterval(() => {}, 1_000);
`,
  );
  writeFileSync(join(folder, 'kit.json'), JSON.stringify({ backend: 'cpu' }));
  const kit = new Kit(folder, folder, join(folder, 'work'));
  await t.rejects(startServer(kit, folder, {}, new AbortController().signal), /workspaces/);
  t.throws(() => process.kill(Number(readFileSync(note, 'utf8')), 0), { code: 'ESRCH' });
});

test('tests are counted in their output, without those inside them', (t) => {
  const text = `TAP version 14
# Subtest: first
    ok 1 - inside
    not ok 2 - inside too
    1..2
not ok 1 - first # time=3ms
  ---
  found: 1
  ...

ok 2 - second # SKIP no GPU
ok 3 - third # time=1ms
1..3
`;
  const { passed, failed } = readTap(text);
  t.equal(passed, 1);
  t.equal(failed.length, 1);
  t.match(failed[0], /^not ok 1 - first/);
  t.strictSame(readTap('Error: no module\n'), { passed: 0, failed: [] });
  t.end();
});

test('a command ends with its processes when it is stopped', async (t) => {
  const ending = new AbortController();
  const running = runCommand('sh', ['-c', 'echo begun; sleep 600 & wait'], { stop: ending.signal });
  ending.abort();
  t.match(await running, { code: null, signal: 'SIGKILL' });
  const ended = await runCommand('sh', ['-c', 'echo out; echo err >&2; exit 3'], {
    stop: new AbortController().signal,
  });
  t.match(ended, { code: 3, signal: null, stdout: 'out\n' });
  await t.rejects(runCommand('no-such-program', [], { stop: new AbortController().signal }), {
    code: 'ENOENT',
  });
});

test('callers count what ended in the measured time, and wait after a failure', async (t) => {
  const clock = fakeClock();
  const stop = new AbortController().signal;
  let sent = 0;
  // Each request takes 40 ms; the third is refused.
  const send = async () => {
    sent += 1;
    const number = sent;
    await Promise.resolve();
    clock.pass(40);
    if (number === 3) {
      queueMicrotask(() => setImmediate(() => clock.advance(100)));
      return { answered: false, status: 429, type: 'rate_limited' } as const;
    }
    if (clock.monotonic() >= 400) clock.advance(0);
    return { answered: true, decisions: 2, inputTokens: 10 } as const;
  };
  const requests = { next: () => ({ shape: 'short', body: Buffer.from('') }) };
  const result = await runCallers(send, requests, { callers: 1, ms: 360, warmUpMs: 40, stop, clock });
  // 0–40 warm-up, 40–80, 80–120 refused, 100 ms pause, then 220–260, 260–300, 300–340, 340–380.
  t.strictSame(result, {
    callers: 1,
    answered: 5,
    failed: { '429 rate_limited': 1 },
    requests_per_second: 13.89,
    decisions_per_second: 27.78,
    tokens_per_second: 138.9,
    p50_ms: 40,
    p95_ms: 40,
    max_ms: 40,
  });
});
