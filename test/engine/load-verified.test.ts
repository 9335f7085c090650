import { createHash } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { loadVerified, ModelError } from '../../src/engine/index.js';
import { buildOf } from '../support/engine.js';

const CONTENT = 'weights';
const RIGHT = createHash('sha256').update(CONTENT).digest('hex');
const running = () => new AbortController().signal;

function buildWith(t: Test, sha256: string) {
  const path = join(t.testdir(), 'model.gguf');
  writeFileSync(path, CONTENT);
  return { ...buildOf(path), sha256 };
}

/** Settles when the signal is aborted, as loading does. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    const end = () => reject(new ModelError('cancelled'));
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
  });

test('files with the right checksum: what was loaded', async (t) => {
  t.equal(await loadVerified(buildWith(t, RIGHT), running(), async () => 'loaded'), 'loaded');
});

test('loading starts before the files are read', async (t) => {
  let started = false;
  const loaded = loadVerified(buildWith(t, RIGHT), running(), async () => {
    started = true;
  });
  t.ok(started);
  await loaded;
});

test('a wrong checksum ends loading, and is the error', async (t) => {
  await t.rejects(loadVerified(buildWith(t, '0'.repeat(64)), running(), untilAborted), {
    name: 'ModelError',
    message: /model\.gguf: its SHA-256 is [0-9a-f]{64}, not the manifest's 0{64}$/,
  });
});

test('a wrong checksum is the error although everything was loaded, or loading failed before', async (t) => {
  const build = buildWith(t, '0'.repeat(64));
  await t.rejects(
    loadVerified(build, running(), async () => 'loaded'),
    /its SHA-256 is/,
  );
  const failed = loadVerified(build, running(), async () => {
    throw new ModelError('it does not load');
  });
  await t.rejects(failed, /its SHA-256 is/);
});

test('right files that do not load: why not', async (t) => {
  const failed = loadVerified(buildWith(t, RIGHT), running(), async () => {
    throw new ModelError('it does not load');
  });
  await t.rejects(failed, { message: 'it does not load' });
});

test('it rejects only when loading has ended, so that its threads can be closed', async (t) => {
  let ended = false;
  const failed = loadVerified(buildWith(t, '0'.repeat(64)), running(), async (signal) => {
    await untilAborted(signal).catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    ended = true;
  });
  await t.rejects(failed);
  t.ok(ended);
});

test('a file that is right when it is read for its checksum, but was replaced after it was loaded, is refused', async (t) => {
  const build = buildWith(t, RIGHT);
  writeFileSync(build.path, 'wrong');
  const loaded = loadVerified(build, running(), async () => writeFileSync(build.path, CONTENT));
  await t.rejects(loaded, /it changed while it was being loaded/);
});

test('a file that changes after it was read is refused', async (t) => {
  const build = buildWith(t, RIGHT);
  let change = () => {};
  const changed = new Promise<void>((resolve) => {
    change = () => {
      appendFileSync(build.path, 'more');
      resolve();
    };
  });
  // Only the end of the loading looks at the file again: whether it changes before or after it was read, it is refused.
  setImmediate(change);
  await t.rejects(
    loadVerified(build, running(), () => changed),
    /it changed while it was being loaded|its SHA-256 is/,
  );
});

test('a stop ends both, with its reason', async (t) => {
  const stop = new AbortController();
  const loading = loadVerified(buildWith(t, RIGHT), stop.signal, untilAborted);
  stop.abort(new Error('stopped'));
  await t.rejects(loading, { message: 'stopped' });
});
