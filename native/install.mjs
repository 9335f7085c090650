// Builds the addon: run by `npm ci`, and again by the commands that add a GPU backend. Everything is
// cached in native/build, so that a second run with nothing changed does nothing.
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { compileFiles, findCompiler, RELATIVE_PATHS, Remedy } from './compiler.mjs';
import { compileMultimodal, MULTIMODAL_SOURCES } from './multimodal.mjs';
import {
  addonFile,
  BUILD,
  libraries,
  libraryFiles,
  NATIVE,
  platform,
  SOURCES,
  SOURCES_STAMP,
  sourcesDigest,
} from './platform.mjs';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const HEADERS = join(BUILD, 'llama.cpp');
const UNPACKED = ['include', 'ggml/include', 'src/llama-ext.h', MULTIMODAL_SOURCES];
const FLAGS = [
  RELATIVE_PATHS,
  '-std=c++17',
  '-O2',
  '-fPIC',
  '-fvisibility=hidden',
  '-Wall',
  '-Wextra',
  '-Wno-unused-parameter',
  '-DNAPI_CPP_EXCEPTIONS',
  // An exception of the C++ library (no memory, an index out of range) becomes a JavaScript one.
  '-DNODE_ADDON_API_CPP_EXCEPTIONS_ALL',
  '-DNAPI_VERSION=8',
  // Without it a worker thread that is ended inside a native call takes the process with it.
  '-DNODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS',
];

function checkPlatform() {
  const { platform: name, supported } = platform();
  if (!supported)
    throw new Remedy(`decider runs on Linux (x64, arm64) and macOS (arm64, x64), not on ${name}.`);
  const glibc = process.platform !== 'linux' || process.report.getReport().header.glibcVersionRuntime;
  if (!glibc)
    throw new Remedy(
      'decider needs glibc 2.34 or newer; this Linux uses another C library (musl). Use a Debian, Ubuntu or Fedora image.',
    );
}

/** llama.cpp's headers and image library, at the very commit the prebuilt libraries were made from. */
async function headers() {
  const version = JSON.parse(readFileSync(join(NATIVE, 'llama', 'package.json'), 'utf8')).dependencies[
    'node-llama-cpp'
  ];
  const stamp = join(HEADERS, 'version');
  const content = [version, ...UNPACKED].join(' ');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === content) return;
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  console.log(`decider: fetching llama.cpp's sources (node-llama-cpp ${version}, 36 MB)`);
  const fetched = spawnSync(
    npm[0],
    [
      ...npm.slice(1),
      'ci',
      '--omit=optional',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ],
    { cwd: join(NATIVE, 'llama'), encoding: 'utf8' },
  );
  if (fetched.status !== 0)
    throw new Remedy(`decider could not fetch node-llama-cpp ${version}:\n${fetched.stderr}`);
  const bundle = join(NATIVE, 'llama', 'node_modules', 'node-llama-cpp', 'llama', 'gitRelease.bundle');
  rmSync(HEADERS, { recursive: true, force: true });
  try {
    await run('git', ['clone', '--quiet', '--no-checkout', bundle, HEADERS]);
    await run('git', ['-C', HEADERS, 'checkout', '--quiet', 'HEAD', '--', ...UNPACKED]);
  } catch (error) {
    throw new Remedy(
      error.code === 'ENOENT'
        ? 'decider needs git to unpack llama.cpp’s sources. On Debian and Ubuntu: apt-get install git'
        : `decider could not unpack llama.cpp’s sources: ${error.stderr}`,
    );
  }
  writeFileSync(stamp, content);
}

function sourceHash(cxx, sources) {
  return createHash('sha256')
    .update([...cxx, ...FLAGS].join(' '))
    .update(readFileSync(join(HEADERS, 'version')))
    .update(sources)
    .digest('hex');
}

async function compile(cxx) {
  const llama = [join(HEADERS, 'include'), join(HEADERS, 'ggml', 'include')];
  const multimodal = await compileMultimodal(cxx, HEADERS, llama);
  const includes = [
    ...llama,
    // For llama-ext.h, functions that llama.cpp exports but does not promise to keep.
    join(HEADERS, 'src'),
    join(HEADERS, MULTIMODAL_SOURCES),
    require('node-addon-api').include_dir,
    require('node-api-headers').include_dir,
  ];
  const files = readdirSync(SOURCES)
    .filter((file) => file.endsWith('.cc'))
    .sort();
  const jobs = files.map((file) => ({
    source: join(SOURCES, file),
    object: join(BUILD, `${basename(file, '.cc')}.o`),
  }));
  const objects = [...jobs.map(({ object }) => object), ...multimodal];
  const stamp = join(BUILD, 'objects');
  const sources = sourcesDigest();
  const hash = sourceHash(cxx, sources);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return objects;
  console.log(`decider: compiling the addon, ${files.length} files, with ${cxx.join(' ')}`);
  // Nothing made from other sources stays, wherever this may be interrupted.
  for (const file of readdirSync(BUILD)) if (/\.(o|node)$/.test(file)) rmSync(join(BUILD, file));
  for (const each of [stamp, SOURCES_STAMP]) rmSync(each, { force: true });
  await compileFiles(cxx, jobs, [...FLAGS, ...includes.flatMap((path) => ['-isystem', path])]);
  writeFileSync(SOURCES_STAMP, sources);
  writeFileSync(stamp, hash);
  return objects;
}

async function link([program, ...own], objects, backend) {
  const folder = libraries(backend);
  if (folder === null) return false;
  if (existsSync(addonFile(backend))) return true;
  const { llama, ggml, base } = libraryFiles(folder);
  const origin = process.platform === 'darwin' ? '@loader_path' : '$ORIGIN';
  const undefinedSymbols = process.platform === 'darwin' ? ['-undefined', 'dynamic_lookup'] : [];
  const unfinished = `${addonFile(backend)}.tmp`;
  await run(program, [
    ...own,
    '-shared',
    ...objects,
    '-o',
    unfinished,
    ...[llama, ggml, base].map((file) => join(folder, file)),
    `-Wl,-rpath,${origin}/${relative(BUILD, folder)}`,
    ...undefinedSymbols,
  ]);
  renameSync(unfinished, addonFile(backend));
  return true;
}

async function install() {
  const started = Date.now();
  checkPlatform();
  const cxx = findCompiler();
  mkdirSync(BUILD, { recursive: true });
  await headers();
  const objects = await compile(cxx);
  const linked = [];
  for (const backend of platform().backends) {
    if (await link(cxx, objects, backend)) linked.push(backend);
  }
  if (linked.length === 0)
    throw new Remedy(
      'decider found no llama.cpp libraries for this platform. Run npm ci again without --omit=optional.',
    );
  const seconds = Math.round((Date.now() - started) / 1_000);
  console.log(`decider: the addon is built for ${linked.join(', ')}, in ${seconds} s`);
}

try {
  await install();
} catch (error) {
  console.error(
    error instanceof Remedy
      ? error.message
      : `decider could not build its addon: ${error.stderr || error.stack}`,
  );
  process.exitCode = 1;
}
