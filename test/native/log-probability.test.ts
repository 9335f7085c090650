import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'tap';
import { findCompiler } from '#native/compiler.mjs';
import { random, seedFromEnvironment } from '../support/random.js';
import { ROOT } from '../support/sources.js';

/** What native/source/log_probability.h promises. */
const ERROR_MAX = 1e-6;

interface Case {
  readonly row: Float32Array;
  readonly tokens: readonly number[];
}

/** What the C++ function returns for each case. */
function compute(folder: string, cases: readonly Case[]): number[] {
  const [program, ...own] = findCompiler() as [string, ...string[]];
  const file = join(folder, 'log-probability');
  const source = join(ROOT, 'native/source');
  execFileSync(program, [
    ...[...own, '-std=c++17', '-O2', '-I', source],
    ...[join(ROOT, 'test/native/log-probability.cc'), join(source, 'log_probability.cc'), '-o', file],
  ]);
  const written = (value: number) =>
    Number.isFinite(value) ? String(value) : String(value).replace('Infinity', 'inf');
  const input = cases.map(({ row, tokens }) => `${[...row].map(written).join(' ')};${tokens.join(' ')}\n`);
  const output = execFileSync(file, { input: input.join(''), encoding: 'utf8', maxBuffer: 64 << 20 });
  const read = (line: string) => Number(line.replace('inf', 'Infinity').replace('-nan', 'nan'));
  return output.trim().split('\n').map(read);
}

/** The same in two passes over all logits. */
function expected({ row, tokens }: Case): number {
  const largest = row.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  if (!Number.isFinite(largest)) return Number.NaN;
  const logSum = (logits: readonly number[]) =>
    Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - largest), 0));
  return logSum(tokens.map((token) => row[token] as number)) - logSum([...row]);
}

test('the logarithm of the probability of some tokens of a row is that of double precision, for any numbers', (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const special = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const rows = Array.from({ length: 300 }, (_, at): Case => {
    const scale = next.pick([1, 30, 80]);
    const row = Float32Array.from({ length: 1 + next.integer(400) }, () => (next.number() - 0.5) * scale);
    // Sorted rows have a new largest logit at every step, or never again.
    if (at % 4 === 1) row.sort();
    if (at % 4 === 2) row.sort().reverse();
    if (at % 4 === 3) row[next.integer(row.length)] = next.pick(special);
    const tokens = Array.from(row.keys()).filter(() => next.integer(3) === 0);
    return { row, tokens: tokens.length > 0 ? tokens : [0] };
  });
  const whole = { row: Float32Array.of(3, 2, 1), tokens: [0, 1, 2] };
  const nothing = { row: new Float32Array(3).fill(Number.NEGATIVE_INFINITY), tokens: [0] };
  const impossible = { row: Float32Array.of(Number.NEGATIVE_INFINITY, 2), tokens: [0] };
  const far = { row: Float32Array.of(3e38, -3e38, 3e38), tokens: [0] };
  // A whole vocabulary, whose errors could all have one sign.
  const large = { row: new Float32Array(262_144).fill(-0.3).fill(9.7, 0, 3), tokens: [0, 200_000] };
  const cases = [whole, nothing, impossible, far, large, ...rows];
  const results = compute(t.testdir(), cases);
  t.strictSame(results.slice(1, 3), [Number.NaN, Number.NEGATIVE_INFINITY]);
  t.equal(results[3], Math.log(0.5));
  for (const [index, found] of results.entries()) {
    const wanted = expected(cases[index] as Case);
    const same = Object.is(found, wanted) || found === wanted || Math.abs(found - wanted) <= ERROR_MAX;
    if (!same || found > 0) t.fail(`case ${index}: ${found}, not ${wanted}`);
  }
  t.end();
});
