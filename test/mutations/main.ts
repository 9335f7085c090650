/**
 * Breaks rules of the contract one at a time, in a copy of what was compiled, and runs the contract's tests against
 * each: `npm run mutations -- --count 30 --seed 1`. Ends with 1 where one is not noticed. Without a count, all of them.
 * `--of batches` breaks the batch code, and runs the tests that are to notice it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { RULES } from '../contract/map.js';
import { random } from '../support/random.js';
import { ROOT } from '../support/sources.js';
import { BATCH_MUTATIONS } from './batches.js';
import { MUTATIONS, type Mutation } from './contract.js';

/** The tests that notice a mutation which names none. */
const CONTRACT = 'contract/node';

/** A copy of the project as it is compiled, with the rest of it linked. */
function copyProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'decider-mutations-'));
  for (const name of ['dist', 'src', 'tools'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  for (const name of ['bench', 'models', 'native', 'node_modules', 'package.json', 'test']) {
    symlinkSync(join(ROOT, name), join(folder, name));
  }
  return folder;
}

/** Compiles the one source that changed. */
function build(folder: string): void {
  execFileSync(process.execPath, [join(folder, 'tools/build.mjs')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Whether a file's tests pass, up to the first that does not; the contract's tests of a rule run first. */
async function testsPass(folder: string, test: string, rule?: string): Promise<boolean> {
  const first = (rule !== undefined && RULES[rule]?.by) || [];
  const child = spawn(process.execPath, [join(folder, 'dist/test', `${test}.test.js`)], {
    cwd: folder,
    env: { ...process.env, TAP_BAIL: '1', TAP_TIMEOUT: '200', CONTRACT_FIRST: JSON.stringify(first) },
    stdio: 'ignore',
  });
  const [code] = await once(child, 'exit');
  return code === 0;
}

async function isNoticed(folder: string, { rule, file, from, to, test }: Mutation): Promise<boolean> {
  const path = join(folder, 'src', file);
  const text = readFileSync(path, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`${file} does not contain exactly once: ${from}`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  build(folder);
  try {
    return !(await testsPass(folder, test ?? CONTRACT, rule));
  } finally {
    writeFileSync(path, text);
    build(folder);
  }
}

/** Whatever failed without a mutation would notice each. */
async function checkTests(folder: string, mutations: readonly Mutation[], when: string): Promise<void> {
  for (const test of new Set(mutations.map((mutation) => mutation.test ?? CONTRACT))) {
    if (!(await testsPass(folder, test)))
      throw new Error(`${test} fails without a mutation ${when}: run it again`);
  }
}

/** So many of them, in an order of the seed's. */
function chosen(all: readonly Mutation[], count: number, seed: number): readonly Mutation[] {
  const { integer } = random(seed);
  const left = [...all];
  const taken: Mutation[] = [];
  while (taken.length < count && left.length > 0) taken.push(...left.splice(integer(left.length), 1));
  return taken;
}

const { values } = parseArgs({
  options: { count: { type: 'string' }, seed: { type: 'string' }, of: { type: 'string' } },
});
const all = values.of === 'batches' ? BATCH_MUTATIONS : MUTATIONS;
const seed = Number(values.seed ?? 1);
const mutations = chosen(all, Number(values.count ?? all.length), seed);
const folder = copyProject();
let missed = 0;
try {
  await checkTests(folder, mutations, 'before');
  for (const mutation of mutations) {
    const noticed = await isNoticed(folder, mutation);
    if (!noticed) missed += 1;
    console.log(
      `${noticed ? 'noticed' : 'MISSED '} ${mutation.rule}: ${mutation.file}: ${mutation.to || 'nothing'}`,
    );
  }
  await checkTests(folder, mutations, 'at the end');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${mutations.length - missed} of ${mutations.length} noticed, seed ${seed}`);
process.exitCode = missed > 0 ? 1 : 0;
