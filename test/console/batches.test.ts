import { test } from 'tap';
import { checkLines, type LinesRefusal } from '../../src/batch/ingest/check-batch-file.js';
import type { Limits } from '../../src/console/api/api-types.js';
import { CALLER_REMEDIES } from '../../src/console/api/caller-remedies.js';
import { CallError, remedyOf } from '../../src/console/api/error.js';
import { shownModel } from '../../src/console/ask/models.js';
import { batchCost } from '../../src/console/batches/batch-cost.js';
import { checkFile } from '../../src/console/batches/check-file.js';
import {
  idempotencyKeyOf,
  isRepeatable,
  nextSubmission,
  REPEATABLE_MS,
  type Submission,
} from '../../src/console/batches/next-submission.js';
import { nextWait } from '../../src/console/batches/poll.js';
import { fitsCsv, resultRows } from '../../src/console/batches/results-csv.js';
import {
  distributionOf,
  ERRORS,
  firstOf,
  readResults,
  selectRows,
} from '../../src/console/batches/shown-results.js';
import { unlistedModels } from '../../src/console/batches/unlisted-models.js';

const LINE = { custom_id: 'a', model: 'm', state: 'x', questions: { q: { type: 'noul' } } };
const file = (lines: readonly unknown[]) =>
  new Blob([lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')]);
const check = (content: Blob) => checkFile(content, () => {}, new AbortController().signal);
const question = (q: unknown) => ({ ...LINE, questions: { q } });

test('the lines that the console refuses are those that the server refuses, with the same types', async (t) => {
  const lines: unknown[] = [
    LINE,
    '',
    'nonsense',
    '[]',
    { ...LINE, custom_id: 'b c' },
    { ...LINE, custom_id: 'x'.repeat(65) },
    LINE,
    { ...LINE, custom_id: 'c', model: undefined },
    { ...LINE, custom_id: 'd', state: undefined },
    { ...LINE, custom_id: 'e', questions: undefined },
    { ...LINE, custom_id: 'f', questions: {} },
    {
      ...LINE,
      custom_id: 'g',
      questions: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`q${at}`, LINE.questions.q])),
    },
    { ...LINE, custom_id: 'h', questions: { ['n'.repeat(1_025)]: LINE.questions.q } },
    { ...question({}), custom_id: 'i' },
    { ...question(7), custom_id: 'j' },
    { ...question({ type: 'noul', instructions: [] }), custom_id: 'k' },
    { ...question({ type: 'noul', criteria: { yes: 'x' } }), custom_id: 'l' },
    { ...question({ type: 'choice' }), custom_id: 'm' },
    { ...question({ type: 'choice', criteria: ['a', 'a'] }), custom_id: 'n' },
    { ...question({ type: 'choice', criteria: { '': null } }), custom_id: 'o' },
    { ...question({ type: 'choice', criteria: { a: 1 } }), custom_id: 'p' },
    {
      ...question({ type: 'choice', criteria: Array.from({ length: 27 }, (_, at) => `l${at}`) }),
      custom_id: 'q',
    },
    { ...question({ type: 'score', criteria: ['one'] }), custom_id: 'r' },
    { ...LINE, custom_id: 's', image_budget: 7 },
    { ...LINE, custom_id: 't', model: 7 },
    { ...LINE, custom_id: 'w', raw_probabilities: 'true' },
    { ...LINE, custom_id: 'x', label_mass: 1 },
    ...[0, 27, 1.5, '2', true, []].map((rotations, at) => ({
      ...LINE,
      custom_id: `y${at}`,
      option_rotations: rotations,
    })),
    { ...LINE, custom_id: 'z', raw_probabilities: true, label_mass: false, option_rotations: 26 },
    { ...LINE, custom_id: 'z2', raw_probabilities: null, label_mass: null, option_rotations: null },
    { ...question({ type: 'noul', criteria: null }), custom_id: 'u' },
    { ...question({ type: 'score', criteria: ['a', null], instructions: null }), custom_id: 'v' },
  ];
  const { errors, invalidLines, lines: count } = await check(file(lines));
  const server = (await checkLines(Buffer.from(await file(lines).arrayBuffer()))) as LinesRefusal;
  const shown = (all: readonly { line: number; type: string }[]) =>
    all.map(({ line, type }) => `${line} ${type}`);
  t.strictSame(shown(errors), shown(server.lines));
  t.strictSame([count, invalidLines], [lines.length - 1, errors.length]);
});

test('a byte order mark and blank lines are what they are for the server', async (t) => {
  const line = (id: string) => JSON.stringify({ ...LINE, custom_id: id });
  const blanks = ['', ' ', '\t', '\r', ' \t \r', '\u00a0', '\f', '\v', '\u2028', '\ufeff', '\u3000', '\0'];
  const files = [
    `\ufeff${line('a')}`,
    `${line('a')}\n\ufeff${line('b')}`,
    '\ufeff',
    ...blanks.map((blank) => `${line('a')}\n${blank}\n${line('b')}`),
  ];
  for (const [at, text] of files.entries()) {
    const content = new Blob([text]);
    const { errors } = await check(content);
    const server = await checkLines(Buffer.from(await content.arrayBuffer()));
    const refused = (server as Partial<LinesRefusal> | null)?.lines ?? [];
    t.strictSame(
      errors.map((each) => `${each.line} ${each.type}`),
      refused.map((each) => `${each.line} ${each.type}`),
      `file ${at}`,
    );
  }
  const { errors } = await check(new Blob([`\ufeff${line('a')}`]));
  t.match(errors[0]?.error, /begins with a byte order mark/);
});

test('models, blank lines and line ends of a file', async (t) => {
  const dated = { ...LINE, custom_id: 'b', model: 'm-20260101' };
  const content = new Blob([`${JSON.stringify(LINE)}\r\n\n  \n${JSON.stringify(dated)}`]);
  t.match(await check(content), {
    lines: 2,
    invalidLines: 0,
    problem: null,
    models: [
      ['m', 1],
      ['m-20260101', 1],
    ],
  });
});

test('a model that the limits do not list is left to the server', async (t) => {
  const named = ['m', 'm-20250101', 'other', '', 'other', 'pinned-20260101', 'pinned'];
  const lines = named.map((model, at) => ({ ...LINE, custom_id: `${at}`, model }));
  const checked = await check(file(lines));
  t.match(checked, { lines: named.length, invalidLines: 0, problem: null });
  const limits = (...ids: string[]) => ({ models: ids.map((id) => ({ id })) }) as unknown as Limits;
  t.strictSame(unlistedModels(checked, limits('m', 'pinned-20260101')), {
    lines: 4,
    models: ['other', '', 'pinned'],
  });
  t.equal(unlistedModels(await check(file([LINE])), limits('m')), null);
  t.match(unlistedModels(checked, limits()), { lines: named.length });
});

test('of the name of a model, 80 characters are shown', (t) => {
  for (const character of ['n', '🙂']) {
    t.equal(shownModel(character.repeat(80)), character.repeat(80));
    t.equal(shownModel(character.repeat(81)), `${character.repeat(80)}…`);
    t.equal(shownModel(character.repeat(100_000)), `${character.repeat(80)}…`);
  }
  t.equal(shownModel(`n${'🙂'.repeat(90)}`), `n${'🙂'.repeat(79)}…`);
  t.end();
});

test('lines that name a task are counted, and are no part of an estimate', async (t) => {
  const line = { custom_id: 'b', task: 'spam', state: 'x' };
  const refused = { ...line, custom_id: 'c', task: 'no name' };
  const { taskLines, models, tokens } = await check(file([LINE, line, refused]));
  t.equal(taskLines, 1);
  t.strictSame([models, [...tokens.keys()]], [[['m', 1]], ['m']]);
  const price = { models: [{ id: 'm', builds: [], prices: { live: 2, batch: 1 } }] } as unknown as Limits;
  t.match(batchCost(tokens, price), {
    tokens: tokens.get('m'),
    cost: (tokens.get('m') as number) / 1_000_000,
  });
  t.equal(batchCost((await check(file([line]))).tokens, price), null, 'not 0');
});

test('a submission that got no answer is the same one only while the server recognizes it', async (t) => {
  const [key, digest, start] = ['key', 'digest', 1_000_000_000_000];
  const attempt = (repeats: number, last: Submission | null, now: number) =>
    nextSubmission({ key, digest, repeats }, last, now);
  const first = attempt(0, null, start) as Submission;
  t.strictSame(first, { key, digest, repeats: 0, batch: null, at: start, keyed: true });
  const repeated = attempt(0, first, start + REPEATABLE_MS - 1);
  t.equal(repeated?.at, start, 'counted from the first one, as the server does');
  t.ok(isRepeatable(first, start + REPEATABLE_MS - 1));
  t.notOk(isRepeatable(first, start + REPEATABLE_MS));
  t.equal(attempt(0, repeated, start + REPEATABLE_MS), null);
  t.ok(REPEATABLE_MS < 24 * 60 * 60 * 1_000);
  const again = attempt(1, first, start + REPEATABLE_MS);
  t.match(again, { repeats: 1, at: start + REPEATABLE_MS });
  t.equal(attempt(0, again, start + REPEATABLE_MS + 1), null, 'as another tab still shows');
  t.equal(attempt(0, { ...first, batch: 'batch_a' }, start + 1), null, 'another tab got the answer');
});

test('the idempotency key follows from file, token and repetition, and tells nothing of the file', async (t) => {
  const submission = {
    key: 'key',
    digest: 'ab'.repeat(32),
    repeats: 0,
    batch: null,
    at: 0,
    keyed: true,
  } as const;
  const own = idempotencyKeyOf(submission, 'dk_a');
  t.match(own, /^console-[0-9a-f]{64}$/);
  t.equal(idempotencyKeyOf({ ...submission, at: 1 }, 'dk_a'), own, 'also in another tab');
  t.notMatch(own, submission.digest);
  const others = [
    idempotencyKeyOf(submission, 'dk_b'),
    idempotencyKeyOf({ ...submission, repeats: 1 }, 'dk_a'),
    idempotencyKeyOf({ ...submission, digest: 'cd'.repeat(32) }, 'dk_a'),
  ];
  t.equal(new Set([own, ...others]).size, 4);
  const { keyed, ...before } = submission;
  t.ok(keyed);
  t.equal(idempotencyKeyOf(before, 'dk_a'), `console-${submission.digest}-0`, 'begun before an update');
});

test('problems of a whole file', async (t) => {
  t.match(await check(new Blob([''])), { problem: 'The file has no lines.' });
  t.match(await check(new Blob([new Uint8Array([0xff, 0xfe])])), {
    problem: 'The file is not UTF-8 text: save it as UTF-8.',
  });
  t.match(await check(new Blob(['x\n'.repeat(50_001)])), { problem: /50001 lines/, invalidLines: 50_001 });
  t.match(await check(new Blob([new Uint8Array(32 * 1024 * 1024 + 1)])), { problem: /larger than 32 MiB/ });
  const ended = AbortSignal.abort(new Error('gone'));
  await t.rejects(
    checkFile(file([LINE]), () => {}, ended),
    /gone/,
  );
});

test('waits between looks grow while nothing changes, and more while the server does not answer', async (t) => {
  const waits = (look: 'unchanged' | 'failed') => {
    let [wait, all]: [number, number[]] = [0, []];
    for (let round = 0; round < 12; round += 1) {
      wait = nextWait(wait, look, null);
      all = [...all, wait];
    }
    return all;
  };
  t.strictSame(waits('unchanged').slice(0, 3), [1_000, 1_600, 2_560]);
  t.equal(waits('unchanged').at(-1), 15_000);
  t.equal(waits('failed').at(-1), 30_000);
  t.equal(nextWait(15_000, 'changed', null), 1_000);
  t.equal(nextWait(1_000, 'failed', 60), 60_000, 'as the server asks');
});

const answered = (id: string, answers: unknown) => ({
  custom_id: id,
  model: 'm-20260101',
  status: 200,
  response: { model: 'm-20260101', answers, usage: { input_tokens: 5, output_tokens: 1 } },
  usage: { input_tokens: 5, output_tokens: 1, batch: true },
});
const unanswered = (id: string) => ({
  custom_id: id,
  model: 'm',
  status: null,
  error: { error: 'The batch was cancelled.', type: 'cancelled' },
  usage: { input_tokens: 0, output_tokens: 0, batch: true },
});
const choice = (label: string, confidence: number) => ({
  type: 'choice',
  choice: label,
  confidence,
  probabilities: {},
});

test('results as rows, filtered and sorted', async (t) => {
  const lines = [
    answered('1', {
      ['__proto__']: choice('other', 0.1),
      team: choice('billing', 0.4),
      yes: { type: 'noul', noul: 0.8 },
    }),
    answered('2', {
      team: choice('__proto__', 0.9),
      level: { type: 'score', level: 2, score: 1.9, confidence: 0.7, legend: {}, probabilities: {} },
    }),
    unanswered('3'),
    answered('4', { team: choice('billing', 0.6), yes: { type: 'noul', noul: 0.1 } }),
  ];
  const { rows, questions, tokens } = await readResults(file(lines));
  t.strictSame(questions, ['__proto__', 'team', 'yes', 'level']);
  t.strictSame(
    [...tokens],
    [
      ['m-20260101', 15],
      ['m', 0],
    ],
  );
  t.strictSame(distributionOf(rows, 'team'), [
    ['billing', 2],
    ['__proto__', 1],
  ]);
  t.strictSame(distributionOf(rows, 'yes'), [
    ['no', 1],
    ['yes', 1],
  ]);
  const ids = (value: string | null, order: 'file' | 'least sure' | 'most sure', question = 'team') =>
    selectRows(rows, { question, value, order }).map(({ id }) => id);
  t.strictSame(ids(null, 'file'), ['1', '2', '3', '4']);
  t.strictSame(ids(null, 'least sure'), ['1', '4', '2', '3']);
  t.strictSame(ids(null, 'most sure'), ['2', '4', '1', '3']);
  t.strictSame(ids('billing', 'most sure'), ['4', '1']);
  t.strictSame(ids(ERRORS, 'file'), ['3']);
  t.strictSame(ids('2', 'file', 'level'), ['2']);
  t.equal(rows[0]?.answers.get('yes')?.confidence, 0.6);
  // As written, without further digits.
  for (let percent = 0; percent <= 100; percent += 1) {
    const line = answered('1', { yes: { type: 'noul', noul: percent / 100 } });
    const [row] = (await readResults(file([line]))).rows;
    t.equal(row?.answers.get('yes')?.confidence, Math.abs(2 * percent - 100) / 100);
  }
  t.equal(rows[2]?.error?.type, 'cancelled');
});

test('questions whose names are whole numbers are shown in the order sent', async (t) => {
  const lines = [
    '{"custom_id":"a","model":"m","response":{"answers":{"x":{"type":"noul","noul":1},"10":{"type":"noul","noul":1},"2":{"type":"noul","noul":1}}},"usage":{"input_tokens":1}}',
    '{"custom_id":"b","model":"m","response":{"answers":{"10":{"type":"noul","noul":1},"1":{"type":"noul","noul":0}}},"usage":{"input_tokens":1}}',
  ];
  const results = await readResults(file(lines));
  t.strictSame(results.questions, ['x', '10', '2', '1']);
  t.strictSame(resultRows(results)[0], [
    'custom_id',
    ...['x', '10', '2', '1'].flatMap((name) => [name, `${name} (confidence)`]),
    'error',
  ]);
});

test('results with questions of their own in every line are saved as CSV with all of them', async (t) => {
  const lines = Array.from({ length: 100 }, (_, at) =>
    answered(`${at}`, { [`q${at}`]: { type: 'noul', noul: 0.8 } }),
  );
  const results = await readResults(file(lines));
  t.ok(fitsCsv(results));
  const [titles = [], ...rows] = resultRows(results);
  t.equal(titles.length, 202);
  t.ok(rows.every((row, at) => row[titles.indexOf(`q${at}`)] === 'yes' && row.length === titles.length));
  const row = { id: 'a', answers: new Map(), error: null };
  const many = (count: number) => Array.from({ length: count }, (_, at) => `q${at}`);
  const wide = { rows: Array(50_000).fill(row), questions: many(50_000), tokens: new Map() };
  t.notOk(fitsCsv(wide), 'not more than a browser can hold');
  t.ok(fitsCsv({ ...wide, questions: many(64) }));
});

test('a distribution has a bounded number of values, and counts the others', async (t) => {
  const labels = Array.from({ length: 250 }, (_, at) => (at < 120 ? 'often' : `label ${at}`));
  const lines = labels.map((label, at) => answered(`${at}`, { team: choice(label, 0.5) }));
  const { rows } = await readResults(file(lines));
  const { first, others, lines: rest } = firstOf(distributionOf(rows, 'team'));
  t.strictSame([first.length, first[0], others, rest], [100, ['often', 120], 31, 31]);
  t.match(firstOf(distributionOf(rows.slice(0, 121), 'team')), { others: 0, lines: 0 });
});

test('errors say what to do', async (t) => {
  t.match(remedyOf(new CallError(401, 'unauthorized', 'x'), CALLER_REMEDIES), /another key/);
  t.match(remedyOf(new CallError(429, 'rate_limited', 'x', 3), CALLER_REMEDIES), /wait 3 seconds/);
  t.equal(
    remedyOf(new CallError(503, 'new_type', 'x', 1), CALLER_REMEDIES),
    '(The server asks to wait 1 second.)',
  );
  t.equal(remedyOf(new CallError(400, 'toString', 'x'), CALLER_REMEDIES), null);
  t.ok(new CallError(null, 'unreachable', 'x').isTemporary);
  t.notOk(new CallError(404, 'batch_not_found', 'x').isTemporary);
});
