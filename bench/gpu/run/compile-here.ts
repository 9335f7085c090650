import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { libraries } from '#native/platform.mjs';
import { CUDA_SOURCES, type Kit } from './kit.js';
import type { Step } from './steps.js';

/** Compiles the CUDA backend on the machine: a step of whichever part comes first, unless it is in the kit. */
export function compileSteps(kit: Kit): Step[] {
  if (kit.backend === 'cpu') return [];
  const folder = libraries('cuda') as string;
  const library = join(folder, 'libggml-cuda.so');
  if (existsSync(library)) return [];
  return [
    {
      name: 'compile the CUDA backend',
      limit: 400,
      async run({ stop }) {
        const options = {
          sources: join(kit.root, CUDA_SOURCES),
          release: kit.description.llama,
          objects: kit.folder('cuda-objects'),
          library,
          base: join(folder, 'libggml-base.so'),
        };
        const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
        const printed = await kit.script('dist/bench/gpu/compile/main.js', args, { stop });
        return { last: printed.trim().split('\n').at(-1), bytes: statSync(library).size };
      },
    },
  ];
}
