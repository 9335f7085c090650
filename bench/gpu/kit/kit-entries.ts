// What a kit has besides the files of a bundle: benchmarks, tests of the engine, node-llama-cpp, llama.cpp's server, and its
// CUDA backend for one GPU, compiled or as sources.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { libraries, NATIVE } from '#native/platform.mjs';
import type { Entry, Part } from '../../../bundle/contents.js';
import { filesOfPackage, isShipped, listFiles } from '../../../bundle/package-files.js';
import { RANDOM_MODEL_FILE, RANDOM_PROJECTOR_FILE } from '../../../models/tiny/index.js';
import { CUDA_SOURCES, type KitDescription } from '../run/kit.js';
import { LLAMA_SERVER } from '../run/llama-server.js';
import { compiledModules } from './compiled-modules.js';
import { installedPackages } from './installed-packages.js';

/** Parts of a bundle that no step of the kit uses. */
const UNUSED_PARTS: ReadonlySet<Part> = new Set(['console', 'documentation']);
/** The model with random weights takes the place of the embedded one: it is smaller, and reads images. */
const MODEL = /\.gguf$|\/manifest\.json$/;
/** The prebuilt CUDA backends: for all GPUs, so too large, and of no use with older drivers. */
const PREBUILT_CUDA = /(^|\/)libggml-cuda\.so$|^native\/cuda\/.*\/linux-x64-cuda-ext\//;

const PEER = 'native/llama';
/** The builders and commands of node-llama-cpp, and what runs and shows the tests, which the kit does itself. */
const PEER_LEFT_OUT = /^(cmake-js|node-addon-api|node-api-headers|@octokit\/.+|typescript)$/;
const TAP_LEFT_OUT =
  /^(@tapjs\/(run|reporter)|tsimp|typescript|@typescript\/.+|react-dom|tshy|@isaacs\/ts-node-temp-fork-for-pr-2009)$/;
/** Of node-llama-cpp, sources for a build of its own. */
const PEER_SOURCES = /^llama\/(gitRelease\.bundle|addon\/|cmake\/|profiles\/|toolchains\/|xpack\/|patches\/)/;

/** A test that computes with the device of `TEST_BACKEND`. */
const ON_DEVICE = /\b(openContext|openReader|openTiny|addon\.openModel)\(/;
/** It needs a C++ compiler and what `npm ci` compiles. */
const TEST_LEFT_OUT = 'dist/test/native/direct.test.js';
/** It compares logits with those of node-llama-cpp on the CPU, whose addon a kit for CUDA lacks. */
const TEST_OF_CPU = 'dist/test/engine/independent.test.js';

/** The files that a kit takes from a bundle. */
export const ofBundle = (entries: readonly Entry[]): Entry[] =>
  entries.filter(
    ({ part, path }) =>
      !UNUSED_PARTS.has(part) && !PREBUILT_CUDA.test(path) && !(part === 'model' && MODEL.test(path)),
  );

interface Compiled {
  /** llama.cpp's server; null: without it. */
  readonly server: string | null;
  /** The CUDA backend; null: its sources are in `sources`. */
  readonly cuda: string | null;
  readonly sources: string;
}

/** What is added to them. */
export function addedEntries(root: string, backend: KitDescription['backend'], compiled: Compiled): Entry[] {
  const own = (paths: readonly string[], part: Part = 'benchmarks') =>
    paths.map((path): Entry => ({ path, mode: '0644', part, content: { file: join(root, path) } }));
  const placed = (path: string, file: string, mode: Entry['mode'] = '0644'): Entry => ({
    path,
    mode,
    part: 'llama.cpp',
    content: { file },
  });
  const folder = placeOf(libraries(backend) as string);
  return [
    ...own(compiledModules(root, ['dist/bench/gpu/run/main.js', ...PROCESSES, ...testFiles(root, backend)])),
    ...own(['bench/engine/peer-process.mjs', 'native/compiler.mjs', 'test/support/peer.mjs']),
    ...own(packageFiles(root, '', ['tap'], TAP_LEFT_OUT), 'packages'),
    ...own(packageFiles(root, PEER, ['node-llama-cpp'], PEER_LEFT_OUT), 'packages'),
    ...peerBinaries(root, backend),
    ...randomModel(root),
    ...(compiled.server === null ? [] : [placed(`${folder}/${LLAMA_SERVER}`, compiled.server, '0755')]),
    ...(backend === 'cpu'
      ? []
      : compiled.cuda === null
        ? listFiles(compiled.sources).map((path) =>
            placed(`${CUDA_SOURCES}/${path}`, join(compiled.sources, path)),
          )
        : [placed(`${folder}/libggml-cuda.so`, compiled.cuda)]),
  ];
}

function randomModel(root: string): Entry[] {
  const files = ['models/random/manifest.json', RANDOM_MODEL_FILE, RANDOM_PROJECTOR_FILE];
  return files.map((file) => ({
    path: `models/${basename(file)}`,
    mode: '0644',
    part: 'model',
    content: { file: join(root, file) },
  }));
}

/** Scripts that are started by their path. */
const PROCESSES = [
  'dist/bench/gpu/run/make-model-process.js',
  'dist/bench/gpu/run/llama-cases-process.js',
  'dist/bench/gpu/run/time-changes-process.js',
  'dist/bench/gpu/compile/main.js',
];

/** The compiled test files of a kit. */
export const testFiles = (root: string, backend: KitDescription['backend']): string[] =>
  ['engine', 'native']
    .flatMap((room) => readdirSync(join(root, 'dist/test', room)).map((file) => `dist/test/${room}/${file}`))
    .filter((file) => file.endsWith('.test.js') && file !== TEST_LEFT_OUT)
    .filter((file) => backend === 'cpu' || file !== TEST_OF_CPU)
    .filter((file) => ON_DEVICE.test(readFileSync(join(root, file), 'utf8')));

function packageFiles(root: string, from: string, names: readonly string[], leftOut: RegExp): string[] {
  return installedPackages(root, from, names, leftOut).flatMap((folder) =>
    filesOfPackage(join(root, folder))
      .filter((path) => isShipped(basename(folder), path, process.versions.modules))
      .filter((path) => !(basename(folder) === 'node-llama-cpp' && PEER_SOURCES.test(path)))
      .map((path) => `${folder}/${path}`),
  );
}

/** node-llama-cpp's own addon beside the libraries, and how it finds them. */
function peerBinaries(root: string, backend: KitDescription['backend']): Entry[] {
  const folder = placeOf(libraries(backend) as string);
  const [name] = /@node-llama-cpp\/[^/]+/.exec(folder) as unknown as [string];
  const at = folder.slice(0, folder.indexOf(name) + name.length);
  const files = [
    'dist/index.js',
    ...['llama-addon.node', 'libllama-common.so', '_nlcBuildMetadata.json'].map(
      (file) => `${folder.slice(at.length + 1)}/${file}`,
    ),
  ];
  const copied = files.map(
    (path): Entry => ({
      path: `${at}/${path}`,
      mode: '0644',
      part: 'llama.cpp',
      content: { file: join(root, at, path) },
    }),
  );
  if (!at.startsWith('native/')) return copied;
  // It looks for the package in the folders above its own only.
  const text = (path: string, content: string): Entry => ({
    path: `${PEER}/node_modules/${name}/${path}`,
    mode: '0644',
    part: 'packages',
    content: { text: content },
  });
  const manifest = { name, type: 'module', main: 'index.js' };
  const toRoot = '../'.repeat(`${PEER}/node_modules/${name}`.split('/').length);
  return [
    ...copied,
    text('package.json', JSON.stringify(manifest)),
    text('index.js', `export * from '${toRoot}${at}/dist/index.js';\n`),
  ];
}

/** A folder of libraries, relative to the project. */
const placeOf = (folder: string): string => folder.slice(join(NATIVE, '..').length + 1);
