// A kit for the CPU from its archive to its results, on a host that has a C library, a shell, tar, xz and nothing else, and
// no network.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { KIT_BYTES_MAX, pack } from '../../../bench/gpu/kit/pack.js';
import type { KitResults } from '../../../bench/gpu/run/results.js';
import type { StepResult } from '../../../bench/gpu/run/steps.js';
import { scratchFolder, WHOLE_BUNDLE } from '../../support/bundle.js';
import { debianRoot, NO_ROOTS, runShellInRoot } from '../../support/bundle-root.js';
import { LONG } from '../../support/scale.js';
import { ROOT } from '../../support/sources.js';

const WHOLE = !LONG
  ? { skip: 'SKIPPED: only at full scale (SCALE=long)' }
  : NO_ROOTS !== false
    ? { skip: NO_ROOTS }
    : WHOLE_BUNDLE;
const scratch = LONG ? scratchFolder(tap) : '';

/** Steps that may fail on a busy machine, because they say so themselves or need a program that this kit does not have. */
const MAY_FAIL = /^(llama-server|tune)/;

test(
  'a kit runs on a host without Node.js, part by part, and its file of results has all of them',
  WHOLE,
  async (t) => {
    const root = join(scratch, 'root');
    const failure = debianRoot(root, 'bookworm', ['xz-utils']);
    if (failure !== null) return t.comment(failure);
    const out = join(root, 'kit');
    mkdirSync(out);
    const options = {
      backend: 'cpu',
      compile: false,
      server: false,
      level: 0,
      bytesMax: 2 * KIT_BYTES_MAX,
    } as const;
    await pack(ROOT, { ...options, out, cache: join(scratch, 'cache'), print: () => {} });
    t.strictSame(readdirSync(out).sort(), ['kit.json', 'program.tar.xz', 'run.sh']);
    t.equal(spawnSync('chroot', [root, 'sh', '-c', 'command -v node npm gcc python3']).status, 127);

    for (const part of ['1', '2', '3']) {
      const { output } = runShellInRoot(root, `OUT=/results sh /kit/run.sh ${part}`);
      const file = join(root, 'results/gpu-kit.json');
      if (!existsSync(file)) return t.fail(output);
      const { parts, kit } = JSON.parse(readFileSync(file, 'utf8')) as KitResults;
      t.match(kit, { backend: 'cpu', compiled: false, server: false });
      t.ok(statSync(file).size < 2 ** 20, 'one small file');
      const steps: readonly StepResult[] = parts[part]?.steps ?? [];
      t.ok(steps.length >= 5, `${steps.length} steps`);
      const failed = steps.filter(({ name, status }) => status !== 'ok' && !MAY_FAIL.test(name));
      t.strictSame(failed, []);
      t.comment(steps.map(({ name, status, seconds }) => `${name}: ${status}, ${seconds} s`).join('; '));
    }
    const { parts } = JSON.parse(readFileSync(join(root, 'results/gpu-kit.json'), 'utf8')) as KitResults;
    t.strictSame(Object.keys(parts), ['1', '2', '3']);
    execFileSync('sha256sum', ['--check', '--status'], {
      cwd: out,
      input: `${JSON.parse(readFileSync(join(out, 'kit.json'), 'utf8')).sha256}  program.tar.xz\n`,
    });
  },
);
