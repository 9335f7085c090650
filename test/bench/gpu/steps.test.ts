import { test } from 'tap';
import { runSteps, STEP_MS_MIN, type Step, type StepResult } from '../../../bench/gpu/run/steps.js';
import { OperatorError } from '../../../src/base/index.js';
import { fakeClock } from '../../support/fake-clock.js';

const named = (name: string, run: Step['run'], limit = 60): Step => ({ name, limit, run });
const run = (
  steps: readonly Step[],
  ms: number,
  clock = fakeClock(),
  interrupted = new AbortController().signal,
) => {
  const limits: number[] = [];
  const ended: StepResult[] = [];
  const onStart = (_: Step, limitMs: number) => limits.push(limitMs);
  const results = runSteps(steps, { ms, clock, interrupted, onStart, onEnd: (result) => ended.push(result) });
  return { results, limits, ended };
};

test('a step that fails is recorded with its error, and the next one runs', async (t) => {
  const { results, limits, ended } = run(
    [
      named('first', async () => ({ figure: 1 })),
      named('second', async ({ keep }) => {
        keep('half of it');
        throw new OperatorError('no GPU');
      }),
      named('third', async () => 3, 500),
    ],
    90_000,
  );
  const expected = [
    { name: 'first', status: 'ok', seconds: 0, result: { figure: 1 } },
    { name: 'second', status: 'failed', seconds: 0, error: 'no GPU', result: 'half of it' },
    { name: 'third', status: 'ok', seconds: 0, result: 3 },
  ];
  t.strictSame(await results, expected);
  t.strictSame(ended, expected);
  t.strictSame(limits, [60_000, 60_000, 90_000], 'no step gets more time than is left');
});

test('a step is stopped at its time limit, and what it had found is kept', async (t) => {
  const clock = fakeClock();
  const stops = named('stops', ({ stop, keep }) => {
    keep([1, 2]);
    return new Promise((_, reject) => {
      stop.addEventListener('abort', () => reject(new OperatorError('its last lines')));
    });
  });
  const { results } = run([stops], 600_000, clock);
  await clock.armed();
  clock.advance(59_999);
  clock.advance(1);
  t.strictSame(await results, [
    {
      name: 'stops',
      status: 'timed out',
      seconds: 60,
      error: 'ended after 60 s: its last lines',
      result: [1, 2],
    },
  ]);
});

test('a step that ignores its time limit does not hold up the next one', async (t) => {
  const clock = fakeClock();
  const hangs = named('hangs', () => new Promise(() => {}));
  const { results } = run([hangs, named('next', async () => 'ran')], 600_000, clock);
  await clock.armed();
  clock.advance(60_000);
  clock.advance(3_000);
  t.match(await results, [
    { name: 'hangs', status: 'timed out', result: undefined },
    { name: 'next', status: 'ok', result: 'ran' },
  ]);
});

test('a step begins with the least time, and is left out with less', async (t) => {
  const step = named('step', async () => 1);
  t.match(await run([step], STEP_MS_MIN).results, [{ status: 'ok' }]);
  t.strictSame(await run([step], STEP_MS_MIN - 1).results, [
    { name: 'step', status: 'left out', seconds: 0, error: 'no time was left' },
  ]);
});

test('a part that is interrupted ends the step that runs, keeps what it had found, and begins no other', async (t) => {
  const interrupt = new AbortController();
  const notices = named('notices', ({ stop, keep }) => {
    keep('half of it');
    return new Promise((_, reject) => {
      stop.addEventListener('abort', () => reject(new OperatorError('ended with SIGKILL')));
      interrupt.abort();
    });
  });
  const next = named('next', async () => t.fail('begun'));
  const { results } = run(
    [named('first', async () => 1), notices, next],
    600_000,
    fakeClock(),
    interrupt.signal,
  );
  t.strictSame(await results, [
    { name: 'first', status: 'ok', seconds: 0, result: 1 },
    {
      name: 'notices',
      status: 'failed',
      seconds: 0,
      error: 'interrupted: ended with SIGKILL',
      result: 'half of it',
    },
    { name: 'next', status: 'left out', seconds: 0, error: 'the part was interrupted' },
  ]);
});

test('a step that ignores the interruption of its part is not waited for', async (t) => {
  const clock = fakeClock();
  const interrupt = new AbortController();
  const deaf = named('deaf', () => new Promise(() => {}));
  const { results } = run([deaf], 600_000, clock, interrupt.signal);
  await clock.armed();
  interrupt.abort();
  clock.advance(3_000);
  t.match(await results, [{ name: 'deaf', status: 'failed', seconds: 3, error: /^interrupted/ }]);
});
