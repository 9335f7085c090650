// Makes the GPU kit, which measures decider on a borrowed machine; docs/performance.md says how it is used.
//
//   npm run gpu:pack -- [--backend cuda|cpu] [--out FOLDER] [--compile] [--no-server] [--level 0..9]
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { KIT_BYTES_MAX, pack } from '../../dist/bench/gpu/kit/pack.js';
import { print, reportError } from '../../dist/src/cli/output.js';
import { watchStandardOutput } from '../../dist/src/cli/standard-output.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

watchStandardOutput();
await new Command('npm run gpu:pack --')
  .description(
    'write a folder that measures decider on a machine with a GPU, and without Node.js or a network',
  )
  .addOption(
    new Option('--backend <name>', 'cpu: a small trial without a GPU')
      .choices(['cuda', 'cpu'])
      .default('cuda'),
  )
  .option('--out <folder>', 'folder of the kit', join(ROOT, 'dist/gpu-kit'))
  .option('--compile', 'compile llama.cpp’s CUDA backend here and not on the machine', false)
  .option('--no-server', 'without llama.cpp’s own server')
  .addOption(new Option('--level <number>', 'compression').choices([...'0123456789']).default('9'))
  .action(({ out, level, ...options }) =>
    reportError(() =>
      pack(ROOT, {
        ...options,
        out: resolve(out),
        cache: join(ROOT, 'native/build/gpu-kit'),
        level: Number(level),
        bytesMax: KIT_BYTES_MAX,
        print,
      }),
    ),
  )
  .parseAsync();
