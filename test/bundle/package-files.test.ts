import { test } from 'tap';
import { isShipped } from '../../bundle/package-files.js';

/** The number of the binary interface of Node 20. */
const ABI = '115';

test('a bundle has the code and the licenses of a package', async (t) => {
  for (const path of [
    'package.json',
    'index.js',
    'dist/index.mjs',
    'lib/data.json',
    'LICENSE',
    'license',
    'LICENSE.md',
    'LICENCE.txt',
    'docs/NOTICE.md',
    'wasm/decoder.wasm',
    'lib/test.js',
    'latest/index.js',
  ]) {
    t.equal(isShipped('name', path, ABI), true, path);
  }
});

test('a bundle has no types, source maps, pages, sources of binaries or tests of a package', async (t) => {
  for (const path of [
    'index.d.ts',
    'index.d.mts',
    'src/index.ts',
    'dist/index.js.map',
    'README.md',
    'src/addon.cpp',
    'binding.gyp',
    'test/index.js',
    'tests/index.js',
    'examples/a.js',
    'prebuilds/linux-x64/addon.bare',
  ]) {
    t.equal(isShipped('name', path, ABI), false, path);
  }
});

test('a bundle has the binaries for its system and its Node.js, and no others', async (t) => {
  for (const path of [
    'uws_linux_x64_115.node',
    'node.abi115.glibc.node',
    'node.napi.glibc.node',
    'prebuilds/linux-x64/fs-native-extensions.node',
    'nice.linux-x64-gnu.node',
    'lib/libvips-cpp.so.8.18.7',
    'lib/sharp-linux-x64-0.35.5.node',
  ]) {
    t.equal(isShipped('name', path, ABI), true, path);
  }
  for (const path of [
    'uws_linux_x64_127.node',
    'uws_linux_arm64_115.node',
    'uws_darwin_x64_115.node',
    'uws_win32_x64_115.node',
    'node.abi127.glibc.node',
    'node.abi115.musl.node',
    'prebuilds/darwin-arm64/addon.node',
    'prebuilds/android-ia32/addon.node',
    'prebuilds/ios-x64-simulator/addon.node',
    'lib/library.dylib',
    'lib/library.dll',
  ]) {
    t.equal(isShipped('name', path, ABI), false, path);
  }
});

test("of llama.cpp's packages, a bundle has what the addon loads", async (t) => {
  const shipped = (path: string) => isShipped('@node-llama-cpp/linux-x64', path, ABI);
  for (const file of ['libggml-base.so', 'libggml-cpu-zen4.so', 'libggml.v0.5.0.so', 'libllama.v0.5.0.so'])
    t.ok(shipped(`bins/linux-x64/${file}`), file);
  for (const file of ['libllama-common.so', 'llama-addon.node', '_nlcBuildMetadata.json'])
    t.notOk(shipped(`bins/linux-x64/${file}`), file);
  t.ok(shipped('bins/linux-x64-cuda/fallback/libggml-cuda.so'));
  t.ok(shipped('bins/linux-x64-cuda/libllama.cuda.v0.5.0.so'));
  t.ok(shipped('package.json'), 'its version is shown by doctor');
  t.notOk(shipped('dist/index.js'));
});
