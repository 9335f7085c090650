import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { addonFile, libraries } from '#native/platform.mjs';

/** Ends a process by an abort, after `before`, and returns its record and what it logs. */
function aborted(folder: string, before: string) {
  const record = join(folder, 'record');
  const script = `
    const addon = require(${JSON.stringify(addonFile('cpu'))});
    addon.loadBackends(${JSON.stringify(libraries('cpu'))});
    addon.recordAborts(${JSON.stringify(record)});
    ${before}
    addon.abort('CUDA error');`;
  const environment = { ...process.env, GGML_NO_BACKTRACE: '1' };
  const { signal, stderr } = spawnSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    env: environment,
  });
  const line = stderr.split('\n').find((each) => each.startsWith('{')) ?? '{}';
  return { signal, record: existsSync(record) ? readFileSync(record, 'utf8') : '', line: JSON.parse(line) };
}

test('the record of an abort has the last error that llama.cpp logged on the thread', async (t) => {
  const plain = aborted(t.testdir(), '');
  t.equal(plain.signal, 'SIGABRT');
  t.match(plain.record, /^-2 \S+: CUDA error\n$/);
  t.match(plain.line, { level: 'fatal', reason: /: CUDA error$/ });

  const opened = `
    const options = { path: '/none.gguf', device: '', mapped: true };
    try { addon.openModel(options, () => true); } catch {}`;
  const { signal, record, line } = aborted(t.testdir(), opened);
  t.equal(signal, 'SIGABRT');
  t.match(record, /^-2 \S+: CUDA error; llama_model_load_from_file_impl: failed to load model\n$/);
  t.match(line, { level: 'fatal', reason: /: CUDA error; .*failed to load model$/ });
});
