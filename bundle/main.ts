// Makes a bundle: an archive with the program, Node.js, all libraries and the embedded model, for hosts that have none of
// them. docs/operations.md says how it is used.
//
//   npm run bundle -- --backend cpu|cuda|vulkan [--slim] [--out FOLDER]
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { BUNDLE_MANIFEST, sha256OfFile } from '../src/base/index.js';
import { print, reportError } from '../src/cli/output.js';
import { watchStandardOutput } from '../src/cli/standard-output.js';
import { writeArchive } from './archive.js';
import type { BundleOptions } from './contents.js';
import { sizeReport } from './sizes.js';
import { writeBundle } from './write-bundle.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const program = new Command('npm run bundle --')
  .description('write decider-VERSION-linux-x64-BACKEND.tar.gz, which runs on hosts without Node.js')
  .addOption(
    new Option('--backend <name>', 'backend of llama.cpp, besides that for the CPU')
      .choices(['cpu', 'cuda', 'vulkan'])
      .makeOptionMandatory(),
  )
  .option('--slim', 'without console, benchmarks and documentation', false)
  .option('--out <folder>', 'where the archive is written', join(ROOT, 'dist/bundles'))
  .action((options: BundleOptions & { out: string }) => reportError(() => make(options)));

async function make({ out, ...options }: BundleOptions & { out: string }): Promise<void> {
  const folder = resolve(out);
  mkdirSync(folder, { recursive: true });
  const unfinished = mkdtempSync(join(folder, '.bundle-'));
  try {
    const { name, glibc, entries, sha256 } = await writeBundle(ROOT, unfinished, options);
    const archive = join(folder, `${name}.tar.gz`);
    writeArchive(unfinished, name, archive);
    const sum = await sha256OfFile(archive);
    writeFileSync(`${archive}.sha256`, `${sum}  ${name}.tar.gz\n`);
    print(sizeReport(entries, statSync(archive).size));
    print(`\n${archive}`);
    print(`SHA-256 of the archive:     ${sum}`);
    print(`SHA-256 of ${BUNDLE_MANIFEST}:      ${sha256}`);
    print(`needs glibc:                ${glibc} or newer`);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

watchStandardOutput();
await program.parseAsync();
