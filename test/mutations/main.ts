/**
 * Breaks rules of the contract one at a time, in a copy of what was compiled, and runs the contract's tests against
 * each: `npm run mutations -- --count 30 --seed 1`. Ends with 1 where one is not noticed. Without a count, all of them.
 * `--of batches` breaks the batch code, `--of operator` the operator's interface and the audit log, `--of ledger` the ledger
 * of a cluster, and runs the tests that are to notice it.
 */
import { spawn } from 'node:child_process';
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
import { LEDGER_MUTATIONS } from './ledger.js';
import { OPERATOR_MUTATIONS } from './operator.js';

/** The tests that notice a mutation which names none. */
const CONTRACT = 'contract/node';
/** Of a test file without a mutation, in seconds. */
const SECONDS_MAX = 600;
/** A mutation may make a test wait without an end: a test has so many times what it takes without one, and at least: */
const TIMES_MAX = 5;
const SECONDS_MIN = 20;
/** After its time limit, before it is killed. */
const GRACE_SECONDS = 10;

/** What tools/build.mjs exports, which has no types. */
const { transform } = (await import(join(ROOT, 'tools/build.mjs'))) as {
  transform(path: string, text: string): { code: string };
};

/** A copy of the project as it is compiled, with the rest of it linked. */
function copyProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'decider-mutations-'));
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
  // Threads then run the compiled modules, one of which is changed.
  rmSync(join(folder, 'dist/entries'), { recursive: true, force: true });
  for (const name of ['bench', 'models', 'native', 'node_modules', 'package.json', 'src', 'test', 'tools']) {
    symlinkSync(join(ROOT, name), join(folder, name));
  }
  return folder;
}

interface Outcome {
  readonly kind: 'passed' | 'failed' | 'timed out';
  /** The first test that failed; empty if none did. */
  readonly failure: string;
}

/** Runs a test file up to its first failure; the contract's tests of a rule run first. */
async function runTest(folder: string, test: string, seconds: number, rule?: string): Promise<Outcome> {
  const first = (rule !== undefined && RULES[rule]?.by) || [];
  const child = spawn(process.execPath, [join(folder, 'dist/test', `${test}.test.js`)], {
    cwd: folder,
    env: {
      ...process.env,
      TAP_BAIL: '1',
      TAP_TIMEOUT: String(seconds),
      CONTRACT_FIRST: JSON.stringify(first),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
    // In a loop without an end its own time limit does nothing.
    timeout: (seconds + GRACE_SECONDS) * 1_000,
    killSignal: 'SIGKILL',
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    output += piece;
  });
  const [code] = await once(child, 'close');
  if (code === 0) return { kind: 'passed', failure: '' };
  const timedOut = child.killed || / not ok \d+ - timeout!/.test(output);
  const [, failure = ''] = /^not ok \d+ - (.*?)( # time=.*)?$/m.exec(output) ?? [];
  return { kind: timedOut ? 'timed out' : 'failed', failure };
}

/** Runs the test of a mutation with the one source that it changes compiled anew. */
async function tryMutation(folder: string, mutation: Mutation, seconds: number): Promise<Outcome> {
  const { rule, file, from, to, test = CONTRACT } = mutation;
  const text = readFileSync(join(ROOT, 'src', file), 'utf8');
  if (text.split(from).length !== 2) throw new Error(`${file} does not contain exactly once: ${from}`);
  const compiled = join(folder, 'dist/src', file.replace(/\.ts$/, '.js'));
  const original = readFileSync(compiled);
  const { code } = transform(
    file,
    text.replace(from, () => to),
  );
  writeFileSync(compiled, code);
  try {
    return await runTest(folder, test, seconds, rule);
  } finally {
    writeFileSync(compiled, original);
  }
}

/** Returns the seconds that a test takes, whole ones. One that fails without a mutation would notice each. */
async function checkTest(folder: string, test: string): Promise<number> {
  const begun = performance.now();
  const { kind, failure } = await runTest(folder, test, SECONDS_MAX);
  if (kind !== 'passed') throw new Error(`${test} ${kind} without a mutation, run it again: ${failure}`);
  return Math.ceil((performance.now() - begun) / 1_000);
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
const GROUPS: Readonly<Record<string, readonly Mutation[]>> = {
  contract: MUTATIONS,
  batches: BATCH_MUTATIONS,
  operator: OPERATOR_MUTATIONS,
  ledger: LEDGER_MUTATIONS,
};
const all = GROUPS[values.of ?? 'contract'] ?? [];
const seed = Number(values.seed ?? 1);
const mutations = chosen(all, Number(values.count ?? all.length), seed);
const folder = copyProject();
/** Seconds that each test may take. */
const limits = new Map<string, number>();
const outcomes = { passed: 0, failed: 0, 'timed out': 0 };
try {
  let last = CONTRACT;
  for (const mutation of mutations) {
    last = mutation.test ?? CONTRACT;
    const seconds = limits.get(last) ?? Math.max(SECONDS_MIN, TIMES_MAX * (await checkTest(folder, last)));
    limits.set(last, seconds);
    const { kind } = await tryMutation(folder, mutation, seconds);
    outcomes[kind] += 1;
    const shown = { passed: 'MISSED ', failed: 'noticed', 'timed out': 'noticed by a timeout' }[kind];
    console.log(`${shown} ${mutation.rule}: ${mutation.file}: ${mutation.to || 'nothing'}`);
  }
  // What would make every test fail, such as a full disk, may have begun meanwhile.
  await checkTest(folder, last);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const noticed = mutations.length - outcomes.passed;
console.log(
  `${noticed} of ${mutations.length} noticed, ${outcomes['timed out']} of them by a timeout, seed ${seed}`,
);
process.exitCode = outcomes.passed > 0 ? 1 : 0;
