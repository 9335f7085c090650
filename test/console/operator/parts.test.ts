import { test } from 'tap';
import type { OperatorLive, OperatorResponses } from '../../../src/api/index.js';
import { CallError } from '../../../src/console/api/error.js';
import { isAmount, isWhole } from '../../../src/console/operator/amounts.js';
import { shownAudit, withOlder } from '../../../src/console/operator/audit-pages.js';
import { makeKey } from '../../../src/console/operator/keys/make-key.js';
import { SAMPLES_MAX, withSample } from '../../../src/console/operator/overview/samples.js';
import { bytesTop, scaleTop } from '../../../src/console/operator/overview/scale-top.js';
import { beginningIn, STEPS, stepsOf } from '../../../src/console/operator/overview/steps.js';
import { type PageAt, pageInstead } from '../../../src/console/operator/page-at.js';
import { changeOnce } from '../../../src/console/operator/workspaces/change-once.js';
import { bytes, bytesOf, duration } from '../../../src/console/ui/format-values.js';
import { consoleModule } from '../../support/console/run-hook.js';

/** A sample at a second of a server's life. */
const sample = (second: number, uptime = second) =>
  ({ time: new Date(second * 1_000).toISOString(), uptime_seconds: uptime }) as OperatorLive;

test('the plots show the last samples; those before a gap or a restart are dropped', async (t) => {
  let samples: readonly OperatorLive[] = [];
  for (let second = 1; second <= SAMPLES_MAX; second += 1) samples = withSample(samples, sample(second));
  t.equal(samples.length, SAMPLES_MAX);
  samples = withSample(samples, sample(SAMPLES_MAX + 1));
  t.equal(samples.length, SAMPLES_MAX);
  t.equal(samples[0]?.uptime_seconds, 2);
  t.equal(withSample([sample(1)], sample(6)).length, 2);
  t.equal(withSample([sample(1)], sample(6.001)).length, 1, 'a gap of more than 5 seconds');
  t.equal(withSample([sample(2)], sample(1)).length, 1, 'the clock of the server was set back');
  t.equal(withSample([sample(9)], sample(10, 1)).length, 1, 'the server was started again');
});

test('the top of a scale is a round number', async (t) => {
  t.strictSame([0, 1, 1.1, 3, 7, 60, 0.04, 2e9].map(scaleTop), [1, 1, 2, 5, 10, 100, 0.05, 2e9]);
  t.strictSame([0, 1, 3, 1024, 1025].map(bytesTop), [1, 1, 4, 1024, 2048]);
});

test('amounts and whole numbers as the interface reads them', async (t) => {
  for (const right of ['0', '12.50', '-3', `${'9'.repeat(15)}.${'9'.repeat(12)}`])
    t.ok(isAmount(right), right);
  for (const wrong of ['', '.5', '1.', '1e3', '1,5', ' 1', '9'.repeat(16), `0.${'1'.repeat(13)}`])
    t.notOk(isAmount(wrong), wrong);
  for (const right of ['1', '6000']) t.ok(isWhole(right), right);
  for (const wrong of ['', '0', '-1', '1.5', '1e3', '01']) t.notOk(isWhole(wrong), wrong);
});

const page = (numbers: readonly number[], more: boolean) =>
  ({ entries: numbers.map((number) => ({ number })), more }) as unknown as OperatorResponses['listAudit'];

test('older entries of the audit log stay when the first page is read again', async (t) => {
  const [all, one] = [{}, { action: 'key.create' }];
  const first = (filter: object, numbers: readonly number[]) => ({ filter, ...page(numbers, true) });
  const numbers = (...shown: Parameters<typeof shownAudit>) =>
    shownAudit(...shown).entries.map(({ number }) => number);
  t.strictSame(shownAudit(null, null), { entries: [], more: false });
  const before = first(all, [9, 8]);
  t.equal(shownAudit(before, null), before);
  const third = withOlder(before, all, page([7, 6], true));
  const older = withOlder(shownAudit(before, third), all, page([5], false));
  t.strictSame(numbers(before, older), [9, 8, 7, 6, 5]);
  t.equal(shownAudit(before, older).more, false);
  t.strictSame(numbers(first(all, [10, 9]), older), [10, 9, 8, 7, 6, 5], 'a new entry');
  t.strictSame(numbers(first(all, [11, 10]), older), [11, 10], 'entries between them are missing');
  t.strictSame(numbers(first(one, [9, 8]), older), [9, 8], 'another filter');
});

test('a key whose response is lost may have been made', async (t) => {
  const lost = [
    new CallError(null, 'unreachable', 'The server did not answer.'),
    new CallError(502, 'http_error', 'Bad Gateway'),
    new CallError(504, 'http_error', 'Gateway Timeout'),
    new CallError(502, 'outcome_unknown', 'It may have been made.', null, 'req_1'),
    new CallError(500, 'internal_error', 'A change may have been made.'),
    new CallError(503, 'http_error', 'Service Unavailable'),
  ];
  for (const error of lost) {
    await t.rejects(
      makeKey(() => Promise.reject(error)),
      { type: 'outcome_unknown', message: /revoke a key that is new there/, requestId: error.requestId },
      `${error.status}`,
    );
  }
  for (const refused of [
    new CallError(409, 'conflict', 'It is rolled already.'),
    new CallError(503, 'data_unavailable', 'The disk is full.'),
  ]) {
    await t.rejects(
      makeKey(() => Promise.reject(refused)),
      { type: refused.type, message: refused.message },
      'a refusal is shown as it is',
    );
  }
  t.equal(await makeKey(async () => 'key'), 'key');
});

/** A workspace whose grants are sent as the form does it. */
class GrantForm {
  private readonly workspace = { version: 'v0', granted: 0 };
  tried = '';
  amount = '5';

  get granted() {
    return this.workspace.granted;
  }

  /** What the server does. */
  grant(version: string): void {
    if (version !== this.workspace.version) throw new CallError(409, 'conflict', 'changed meanwhile.');
    this.workspace.granted += 5;
    this.workspace.version = `${version}+`;
  }

  /** The workspace is read again after each try. */
  send(make = async (version: string) => this.grant(version)): Promise<void> {
    return changeOnce('acme', {
      version: this.workspace.version,
      tried: this.tried,
      make,
      keep: (version) => {
        this.tried = version;
      },
      onEnd: () => {
        this.tried = this.amount = '';
      },
    });
  }
}

test('a grant of which it is not known whether it was made is not made twice', async (t) => {
  const lost = new CallError(null, 'unreachable', 'The server did not answer.');
  const form = new GrantForm();
  const made = async (version: string) => {
    form.grant(version);
    throw lost;
  };
  await t.rejects(form.send(made), lost);
  for (const error of [
    new CallError(503, 'data_unavailable', 'x'),
    new CallError(400, 'invalid_request', 'x'),
    new CallError(401, 'unauthorized', 'x'),
    lost,
  ]) {
    await t.rejects(
      form.send(() => Promise.reject(error)),
      error,
      'it says nothing about the first try',
    );
  }
  t.equal(form.amount, '5');
  const advice = {
    type: 'outcome_unknown',
    message: /^acme has been changed since the first try.*probably made/,
  };
  await t.rejects(form.send(), advice);
  t.strictSame([form.granted, form.amount, form.tried], [5, '', ''], 'it cannot be sent once more');
});

test('a grant that was not made can be sent again', async (t) => {
  const lost = new GrantForm();
  await t.rejects(lost.send(() => Promise.reject(new CallError(502, 'http_error', 'Bad Gateway'))));
  await lost.send();
  t.strictSame([lost.granted, lost.tried], [5, '']);
  const refused = new GrantForm();
  const conflict = new CallError(409, 'conflict', 'acme has been changed meanwhile.');
  await t.rejects(
    refused.send(() => Promise.reject(conflict)),
    conflict,
  );
  t.strictSame([refused.amount, refused.tried], ['5', ''], 'the first try was refused');
  const closed = new GrantForm();
  void closed.send(() => new Promise(() => {}));
  t.equal(closed.tried, 'v0', 'the page may be closed before the answer');
});

test('a name has up to 64 characters, as the server counts them', async (t) => {
  const { isName } = await consoleModule<{ isName(text: string): boolean }>('operator/typed-names.js');
  for (const character of ['n', '🙂']) {
    t.equal(isName(` ${character.repeat(64)} `), true);
    t.equal(isName(character.repeat(65)), false);
  }
});

test('bytes and time spans for people', async (t) => {
  t.strictSame([0, 1_023, 1_024, 1_024 ** 2, 1.5 * 1_024 ** 3, 2_048 * 1_024 ** 3].map(bytes), [
    '0 B',
    '1,023 B',
    '1.0 KiB',
    '1.0 MiB',
    '1.5 GiB',
    '2048.0 GiB',
  ]);
  t.equal(bytesOf(512 * 1_024 ** 2, 1_024 ** 3), '0.5 of 1.0 GiB');
  t.strictSame([0, 0.4, 59, 60, 3_661, 86_400, 200_000].map(duration), [
    '0 seconds',
    '0 seconds',
    '59 seconds',
    '1 minute 0 seconds',
    '1 hour 1 minute',
    '1 day 0 hours',
    '2 days 7 hours',
  ]);
});

test('a step of the last hour has the time at which it began, whenever it is read', async (t) => {
  const [began, minute] = [Date.parse('2026-10-25T00:58:50Z'), 60_000];
  const points = [0, 1, 3].map((at) => ({ time: new Date(began + at * minute).toISOString() }));
  for (const later of [0, 9_000, 11_000, 59_999]) {
    const history = { time: new Date(began + 4 * minute + later).toISOString(), step_seconds: 60 };
    const steps = stepsOf(points, history);
    const timeOf = beginningIn(steps, history);
    const places = [5, 4, 3, 2, 1].map((ago) => STEPS - ago);
    t.strictSame(
      places.map((at) => steps[at]?.time),
      [points[0]?.time, points[1]?.time, undefined, points[2]?.time, undefined],
    );
    t.strictSame(
      places.map(timeOf),
      [0, 1, 2, 3, 4].map((at) => began + at * minute),
      `${later} ms after a step began`,
    );
    t.equal(timeOf(0), began - (STEPS - 5) * minute);
  }
  const empty = { time: new Date(began).toISOString(), step_seconds: 60 };
  t.equal(beginningIn(stepsOf([], empty), empty)(STEPS - 1), began);
});

test('a page that has become empty, or reaches the beginning, has another in its place', async (t) => {
  const part = (total: number, offset: number) => ({ total, offset, next: null, previous: null });
  const cases: ReadonlyArray<readonly [PageAt, number, number, number, PageAt | null]> = [
    // What is asked for, entries of all pages, those before the page, rows, what is shown instead.
    [{}, 0, 0, 0, null],
    [{}, 250, 0, 100, null],
    [{ after: 'x' }, 250, 100, 100, null],
    [{ after: 'x' }, 250, 250, 0, { offset: '200' }],
    [{ after: 'x' }, 200, 200, 0, { offset: '100' }],
    [{ after: 'x' }, 201, 201, 0, { offset: '200' }],
    [{ after: 'x' }, 1, 1, 0, { offset: '0' }],
    [{ after: 'x' }, 0, 0, 0, null],
    [{ offset: '200' }, 150, 150, 0, { offset: '100' }],
    [{ offset: '200' }, 250, 200, 50, null],
    [{ before: 'x' }, 250, 3, 100, null],
    [{ before: 'x' }, 250, 0, 100, {}],
    [{ before: 'x' }, 250, 0, 7, {}],
    [{ before: 'x' }, 250, 0, 0, {}],
  ];
  for (const [at, total, offset, rows, instead] of cases)
    t.strictSame(
      pageInstead(at, part(total, offset), rows),
      instead,
      JSON.stringify([at, total, offset, rows]),
    );
});
