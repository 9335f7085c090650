import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { Pace } from '../../bench/pace.js';
import { startProgress } from '../../bench/progress.js';
import { ProgressLines } from '../../bench/progress-lines.js';

/** A benchmark on a clock that the test moves. */
function paced(t: Test, cases: number, minutes?: string) {
  let ms = 1_000;
  const told: string[] = [];
  const pace = new Pace(
    { cases, minutes },
    { now: () => ms, tell: (step, left) => void told.push(`${step} | ${left}`) },
  );
  t.strictSame(told.splice(0), ['preparing | null']);
  return {
    pace,
    told,
    pass: (more: number) => {
      ms += more;
    },
  };
}

test('without a limit every case has all its rounds; the time left follows from what is done', async (t) => {
  const { pace, told, pass } = paced(t, 2);
  for (const name of ['a', 'b']) for (const _ of pace.rounds(name, 2)) pass(10_000);
  t.strictSame(told, [
    'a: round 1 of 2 | null',
    'a: round 2 of 2 | 30',
    'b: round 1 of 2 | 20',
    'b: round 2 of 2 | 10',
  ]);
});

test('with a limit cases share the time, each has at least its least rounds, and what one leaves the others get', async (t) => {
  const { pace, told, pass } = paced(t, 3, '1');
  const count = (name: string, ms: number, least?: number) => {
    let rounds = 0;
    for (const _ of pace.rounds(name, 100, least)) {
      rounds += 1;
      pass(ms);
    }
    return rounds;
  };
  t.equal(count('20 seconds for 5 rounds', 4_000), 5);
  t.equal(count('one round is longer than the rest', 60_000), 1);
  t.equal(count('no time is left, but two are needed', 1_000, 2), 2);
  t.match(told.at(-1), / \| 40$/, 'what is left of the rounds that every case has');
});

test('the time that is left is never more than the limit', async (t) => {
  const { pace, told } = paced(t, 10, '0.5');
  pace.begins('first');
  t.strictSame(told, ['first | 30']);
});

test('a case that cannot be shortened is left out once the time is over, except for the first', async (t) => {
  const { pace, told, pass } = paced(t, 3, '1');
  pass(60_000);
  t.ok(pace.begins('first'));
  t.notOk(pace.begins('second'));
  t.match(told[1], /^second: left out, the time is over/);
  const early = paced(t, 3, '1');
  early.pace.begins('first');
  early.pass(59_999);
  t.ok(early.pace.begins('second'));
});

test('a case that runs for a while runs for its part of the time at most', async (t) => {
  const { pace } = paced(t, 4, '1');
  t.equal(pace.seconds('short', 5), 5);
  t.equal(pace.seconds('long', 50), 20);
  t.equal(paced(t, 4).pace.seconds('no limit', 50), 50);
});

test('--minutes is a positive number', async (t) => {
  for (const minutes of ['0', '-1', 'x', ''])
    t.throws(() => paced(t, 1, minutes), /--minutes must be/, minutes);
});

test('lines: a new step at most every two seconds, the same step again after five', async (t) => {
  const lines: string[] = [];
  let now = 1_400;
  const progress = new ProgressLines(
    (line) => void lines.push(line),
    () => now,
    { leastMs: 2_000, repeatMs: 5_000 },
  );
  progress.tick();
  t.strictSame(lines, [], 'nothing is done yet');
  progress.report({ step: 'first', left: null });
  now += 1_999;
  progress.report({ step: 'too early', left: 60 });
  now += 3_000;
  progress.tick();
  t.equal(lines.length, 1);
  now += 1;
  progress.tick();
  t.strictSame(lines, ['[1 s] first\n', '[6 s] too early, about 57 s left\n']);
});

test('progress is printed while the main thread is blocked', async (t) => {
  const path = join(t.testdir({}), 'output');
  t.equal(spawnSync('mkfifo', [path]).status, 0);
  const output = openSync(path, 'r+');
  const progress = startProgress({ output, leastMs: 0, repeatMs: 10 });
  // The number of a closed descriptor is used again, and the thread would write to another file.
  t.teardown(() => progress.close().then(() => closeSync(output)));
  progress.report('working', 1_000);
  const buffer = Buffer.alloc(4_096);
  let text = '';
  // The thread is blocked here until the next line is there.
  while (text.split('\n').length < 4) text += buffer.toString('utf8', 0, readSync(output, buffer));
  t.match(text, /^(\[\d+ s\] working, about \d+ s left\n){3}/);
});
