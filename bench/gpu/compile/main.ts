// Compiles llama.cpp's CUDA backend: main.js --sources FOLDER --release NAME --objects FOLDER --library FILE --base FILE.
import { parseArgs } from 'node:util';
import { compileCuda } from './compile-cuda.js';

const { values } = parseArgs({
  options: {
    sources: { type: 'string', default: '' },
    release: { type: 'string', default: '' },
    objects: { type: 'string', default: '' },
    library: { type: 'string', default: '' },
    base: { type: 'string', default: '' },
  },
});
const started = performance.now();
const seconds = () => Math.round((performance.now() - started) / 1_000);
try {
  const onProgress = (done: number, all: number) => console.log(`${seconds()} s: ${done} of ${all} files`);
  await compileCuda({ ...values, onProgress });
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
