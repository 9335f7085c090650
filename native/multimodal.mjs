// llama.cpp's library that turns images into embeddings (libmtmd): no prebuilt package holds it, so it is compiled
// here, from the same commit as the libraries. Once: its objects stay until that commit, the compiler or a flag changes.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { compileFiles, RELATIVE_PATHS } from './compiler.mjs';
import { BUILD } from './platform.mjs';

/** Where it lies in llama.cpp's repository. */
export const MULTIMODAL_SOURCES = 'tools/mtmd';

const OBJECTS = join(BUILD, 'multimodal');
/** What is neither a command line program nor reads files and videos. */
const FILES = ['mtmd.cpp', 'mtmd-image.cpp', 'mtmd-audio.cpp', 'clip.cpp'];
// Its files describe computations and do none: the optimizer's time is longer than what it saves.
const FLAGS = [RELATIVE_PATHS, '-std=c++17', '-O1', '-fPIC', '-fvisibility=hidden', '-w'];

/** @returns {Promise<string[]>} its object files */
export async function compileMultimodal(cxx, headers, includes) {
  const folder = join(headers, MULTIMODAL_SOURCES);
  const models = readdirSync(join(folder, 'models'))
    .filter((file) => file.endsWith('.cpp'))
    .sort();
  const files = [...FILES, ...models.map((file) => join('models', file))].map((file) => ({
    source: join(folder, file),
    object: join(OBJECTS, `${basename(file, '.cpp')}.o`),
  }));
  const objects = files.map(({ object }) => object);
  const stamp = join(OBJECTS, 'stamp');
  const hash = createHash('sha256')
    .update([...cxx, ...FLAGS, ...objects.map((file) => basename(file))].join(' '))
    .update(readFileSync(join(headers, 'version')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return objects;
  rmSync(OBJECTS, { recursive: true, force: true });
  mkdirSync(OBJECTS, { recursive: true });
  console.log(
    `decider: compiling llama.cpp's image library, ${files.length} files, with ${cxx.join(' ')}: a minute or two on two cores, only this once`,
  );
  let done = 0;
  await compileFiles(cxx, files, [...FLAGS, ...[...includes, folder].flatMap((path) => ['-I', path])], () => {
    done += 1;
    if (done % 10 === 0) console.log(`decider: ${done} of ${files.length}`);
  });
  writeFileSync(stamp, hash);
  return objects;
}
