import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { findCompiler } from '#native/compiler.mjs';
import { libraries, libraryFiles } from '#native/platform.mjs';
import { backend } from '../support/engine.js';
import { ROOT } from '../support/sources.js';

// The loader of macOS binds the functions of a library by its name.
const skip =
  process.platform !== 'linux' && 'only the loader of Linux puts other functions in place of these';

/** How three equal computations end, of which the second is lost on the device. */
function computeThrice(t: Test, what: 'decode' | 'encode', failing: string) {
  const folder = t.testdir();
  const [program, ...own] = findCompiler() as [string, ...string[]];
  const preloaded = join(folder, 'failing-device.so');
  const source = join(ROOT, 'test/native/failing-device.cc');
  execFileSync(program, [...own, '-std=c++17', '-shared', '-fPIC', source, '-o', preloaded]);
  const from = libraries(backend) as string;
  const { llama, base } = libraryFiles(from);
  const files = { LD_PRELOAD: preloaded, LLAMA: join(from, llama), GGML: join(from, base) };
  const script = join(import.meta.dirname, 'failing-process.js');
  const output = execFileSync(process.execPath, [script, folder, what], {
    env: { ...process.env, ...files, FAILING: failing },
    encoding: 'utf8',
  });
  return JSON.parse(output) as Array<{ numbers?: number[]; message?: string; code?: string }>;
}

test('a decode that the device loses fails, and its logits are not those of an earlier one', {
  skip,
}, async (t) => {
  const [first, second, third] = computeThrice(t, 'decode', 'llama_synchronize');
  t.equal(first?.numbers?.length, 2);
  t.match(second, { code: 'decode_failed', message: /^the device failed to compute: .*status 5/ });
  t.strictSame(third, first);
});

test('an image that the device loses fails, and the next one is encoded by a new projector', {
  skip,
}, async (t) => {
  const [first, second, third] = computeThrice(t, 'encode', 'ggml_backend_sched_graph_compute');
  t.ok(first?.numbers?.some((number) => number !== 0));
  t.match(second, { message: /^the image could not be encoded: .*status 5/ });
  t.strictSame(third, first);
});
