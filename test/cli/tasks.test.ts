import { EventEmitter, once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { indentJson } from '../../src/cli/sent-json.js';
import { LABEL_STATES_MAX } from '../../src/client/label-pieces.js';
import { decider, run as runCommand } from '../support/cli.js';
import { rawStub, response } from '../support/client/raw-stub.js';
import { startTestServer } from '../support/server.js';
import { shared } from '../support/shared.js';
import { until } from '../support/until.js';

const QUESTIONS = {
  angry: { type: 'noul', instructions: 'Is the customer angry?' },
  team: { type: 'choice', criteria: ['billing', 'sales'] },
};
const TASK = { questions: QUESTIONS, description: 'Mail', target_error: 0.07 };
const FIT_LABELS = 100;

const server = shared((t) => startTestServer(t));

/** `decider tasks` beside a server, with its token in the environment. */
async function beside(t: Test) {
  const { url, headers } = await server();
  const environment = { DECIDER_TOKEN: headers.authorization.replace('Bearer ', '') };
  const folder = t.testdir();
  const file = (name: string, content: unknown) => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const run = (...args: string[]) => runCommand(t, ['tasks', ...args, '--url', url], environment);
  // biome-ignore lint/suspicious/noExplicitAny: what it prints is what the test is about
  const json = async (...args: string[]): Promise<any> => {
    const { code, stdout, stderr } = await run(...args, '--json');
    t.strictSame([code, stderr], [0, '']);
    return JSON.parse(stdout);
  };
  /** Ends with 1, prints nothing to standard output and these lines of errors. */
  const mistake = async (patterns: readonly (RegExp | string)[], ...args: string[]) => {
    const { code, stdout, stderr } = await run(...args);
    t.strictSame([code, stdout], [1, ''], args.join(' '));
    const lines = stderr.trim().split('\n');
    t.match(lines, patterns);
    t.equal(lines.length, patterns.length, stderr);
  };
  const ask = async (name: string, state: string) => {
    const body = JSON.stringify({ state });
    const reply = await fetch(`${url}/v1/tasks/${name}/decide`, { method: 'POST', headers, body });
    return {
      request: reply.headers.get('x-request-id') as string,
      answers: Object(await reply.json()).answers,
    };
  };
  return { url, environment, file, run, json, mistake, ask };
}

const labelsOf = (count: number, expected: object, from = 0) =>
  Array.from(
    { length: count },
    (_, at) => `${JSON.stringify({ state: `state ${from + at}`, expected })}\n`,
  ).join('');

test('tasks put, show, list, delete: as text and as JSON', async (t) => {
  const { file, json, mistake, run } = await beside(t);
  t.strictSame(await json('list'), []);
  t.equal((await run('list')).stdout, 'task  version  model  target error  changed  description');
  const made = await json('put', 'mail', file('task.json', `\ufeff${JSON.stringify(TASK)}`));
  t.match(made, { object: 'task', name: 'mail', version: 1, ...TASK });
  t.strictSame(await json('show', 'mail'), made);
  const again = file('again.json', made);
  t.strictSame(await json('put', 'mail', again), made, 'what show prints can be sent again');
  t.match(await json('list'), [{ name: 'mail', version: 1 }]);
  const listed = (await run('list')).stdout.split('\n');
  t.match(listed[1], /^mail +1 +default +7 % +\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ +Mail$/);
  const shown = (await run('put', 'mail', file('new.json', { ...TASK, model: 'tiny' }))).stdout;
  t.equal(shown, (await run('show', 'mail')).stdout);
  t.match(
    shown,
    /^task: +mail\nversion: +2\nmodel: +tiny\ndescription: +Mail\ntarget error: +7 %, with 95 % confidence\n/,
  );
  t.match(shown, /\nangry +noul +Is the customer angry\?\nteam +choice\n\nNo fit is in force/);
  await mistake([/^file: ENOENT/], 'put', 'mail', file('x', '').replace(/x$/, 'none'));
  await mistake([/^invalid_json: /], 'put', 'mail', file('broken.json', '{'));
  await mistake(
    [/^invalid_questions: /],
    'put',
    'mail',
    file('twice.json', '{"questions":{"a":{"type":"noul"},"a":{"type":"noul"}}}'),
  );
  await mistake([/^name: must be 1 to 64 letters/], 'show', '..');
  t.equal((await run('delete', 'mail')).stdout, 'mail is deleted, with its answers and labels.');
  await mistake([/^task_not_found: /], 'delete', 'mail');
  await json('put', 'mail', again);
  t.strictSame(await json('delete', 'mail'), { object: 'task', name: 'mail', deleted: true });
});

test('questions and labels whose names are whole numbers keep their order', async (t) => {
  const { file, json, mistake, run } = await beside(t);
  const criteria = '{"10":"ten pieces","2":"two \\"pieces\\", {or} [so]","none":""}';
  const questions = `{"10":{"type":"noul"},"size":{"type":"choice","criteria":${criteria}},"2":{"type":"noul"}}`;
  const sent = file('task.json', `{"questions":${questions}}`);
  const shown = (await run('put', 'numbers', sent, '--json')).stdout;
  t.equal((await run('show', 'numbers', '--json')).stdout, shown);
  t.match(
    await json('put', 'numbers', file('again.json', shown)),
    { version: 1 },
    'what show prints is equal',
  );
  t.match((await run('show', 'numbers')).stdout, /\n10 +noul\nsize +choice\n2 +noul\n/);
  await mistake([/^10: 0 labels/, /^size: 0 labels/, /^2: 0 labels/, /^too_few_labels: /], 'fit', 'numbers');
});

test('JSON is indented as by JSON.stringify', (t) => {
  const values = [{}, [], 1, 'a "b" \\ {', { a: [], b: {}, c: [[1, { d: null }], 'x,y:z'], e: [{}] }, '\\'];
  for (const value of values) t.equal(indentJson(JSON.stringify(value)), JSON.stringify(value, null, 2));
  t.end();
});

test('tasks labels and fit: with too few labels, and with enough', async (t) => {
  const { ask, file, json, mistake, run } = await beside(t);
  await json('put', 'fitted', file('task.json', TASK));
  const needed = 55;
  await mistake(
    [
      `angry: 0 labels, ${needed} needed`,
      `team: 0 labels, ${needed} needed`,
      `too_few_labels: No question has ${needed} labels of the version in use and its build.`,
    ],
    'fit',
    'fitted',
  );
  const states = Array.from({ length: FIT_LABELS }, (_, at) => `state ${at}`);
  const lines: string[] = [];
  for (const [at, state] of states.entries()) {
    const { request, answers } = await ask('fitted', state);
    const angry = answers.angry.noul >= 0.5;
    const expected = at < 3 ? { angry, team: answers.team.choice } : { angry };
    lines.push(JSON.stringify({ request_id: request, expected }));
  }
  const labels = file('labels.jsonl', `\ufeff${lines.join('\r\n')}\r\n\n`);
  const { code, stdout, stderr } = await run('labels', 'fitted', labels);
  t.strictSame(
    [code, stdout, stderr],
    [0, `${FIT_LABELS} labels are stored. fitted has ${FIT_LABELS} labelled answers.`, ''],
  );
  t.match(
    await json('labels', 'fitted', labels),
    { object: 'labels', lines: FIT_LABELS, labels: FIT_LABELS },
    'again',
  );
  const fit = await json('fit', 'fitted');
  t.match(fit, {
    object: 'fit',
    questions: { angry: { labels: FIT_LABELS }, team: { refused: 'too_few_labels' } },
  });
  // The second fit may be made a second later, and on the next day.
  const textOf = async (command: string) =>
    (await run(command, 'fitted')).stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g, '');
  const shown = await textOf('show');
  t.equal(shown.slice(shown.indexOf('Fit of')), await textOf('fit'));
});

test('tasks show and promote: a shadow build', async (t) => {
  const { ask, file, json, mistake, run } = await beside(t);
  await json('put', 'shadowed', file('task.json', { ...TASK, shadow: { model: 'tiny', share: 1 } }));
  t.match(
    (await run('show', 'shadowed')).stdout,
    /\nShadow build: tiny-20260101, on 100\.0 % of the requests; nothing is counted yet\.\n\nquestion +answers /,
  );
  await mistake([/^shadow_changed: /], 'promote', 'shadowed');
  await ask('shadowed', 'state');
  await until(async () => (await json('show', 'shadowed')).shadow.questions.angry.answers === 1);
  const shown = (await run('show', 'shadowed')).stdout;
  t.match(shown, /counted since \d{4}-/);
  t.match(shown, /\nteam +1 +100\.0 % \(2\.5 % to 100\.0 %\) +0\.0000 +0\.0000 +0/);
  await mistake([/^shadow_changed: /], 'promote', 'shadowed', '--if-version', '2');
  await mistake([/^shadow_changed: /], 'promote', 'shadowed', '--if-build', 'tiny-20260102');
  await mistake([/if-version/], 'promote', 'shadowed', '--if-version', '0');
  await mistake([/if-version/], 'promote', 'shadowed', '--if-version', '101');
  const expected = ['--if-version', '1', '--if-build', 'tiny-20260101'];
  t.equal(
    (await run('promote', 'shadowed', ...expected)).stdout,
    'shadowed is answered by tiny-20260101 from version 2 on.',
  );
  await mistake([/^no_shadow: /], 'promote', 'shadowed');
  t.match(await json('show', 'shadowed'), { version: 2, model: 'tiny-20260101', shadow: null });
});

test('tasks fit: as text', async (t) => {
  const quality = { n: 75, accuracy: 0.9333, ece: 0.0471 };
  const threshold = { threshold: 0.712345, coverage: { value: 0.8, ci: [0.7, 0.9] }, error_max: 0.0487 };
  const more = [
    { threshold: 0.6, coverage: 0.9, labels: 1_500 },
    { threshold: 0.5, coverage: 1, labels: 62_222 },
  ];
  const fit = {
    object: 'fit',
    task: { name: 'mail', version: 3 },
    model: 'tiny-20260101',
    target_error: 0.07,
    confidence: 0.9875,
    fitted_at: '2026-11-28T09:30:05+00:00',
    questions: {
      angry: { labels: 100, tested: 75, quality, threshold, more: [] },
      refund: { labels: 20_000, tested: 15_000, quality, threshold: null, more },
      'te\nam': { refused: 'too_few_labels', labels: 3, needed: 55 },
    },
  };
  const { url } = await rawStub(t, response(JSON.stringify(fit)));
  const ended = await runCommand(t, ['tasks', 'fit', 'mail', '--url', url], { DECIDER_TOKEN: 'dk_1' });
  t.strictSame(ended, {
    code: 0,
    stderr: '',
    stdout: `Fit of mail, version 3, to answers of tiny-20260101, 2026-11-28 09:30:05Z.
Errors among accepted answers: at most 7 %, with 98.75 % confidence.

question  labels  accuracy    ECE       threshold  coverage  error at most
angry        100    93.3 %  0.047           0.712    80.0 %          4.9 %
refund    20,000    93.3 %  0.047            none
te\\nam         3                   too few labels
refund: the coverage would probably be 90.0 % with 1,500 labels, 100.0 % with 62,222 labels.
te\\nam: 55 labels are needed.`,
  });
});

test('tasks labels: mistakes are reported by line of the file, before anything is sent', async (t) => {
  const { file, json, mistake } = await beside(t);
  await json('put', 'mistaken', file('task.json', TASK));
  const right = labelsOf(LABEL_STATES_MAX + 1, { angry: true });
  const wrong = file(
    'wrong.jsonl',
    `${right}\n{\n${labelsOf(1, { angry: 'yes' })}{"expected":{"angry":true}}\n`,
  );
  const line = LABEL_STATES_MAX + 3;
  await mistake(
    [
      `${wrong}:${line}: invalid_json: `,
      `${wrong}:${line + 1}: invalid_label: \`expected\` of a noul must be true or false.`,
      `${wrong}:${line + 2}: invalid_label: A line has `,
      `invalid_labels: 3 of ${LABEL_STATES_MAX + 4} lines are invalid; none was sent.`,
    ],
    'labels',
    'mistaken',
    wrong,
  );
  t.equal((await json('show', 'mistaken')).labels, 0);
  const empty = file('empty.jsonl', '\n');
  await mistake([`file: ${empty} has no lines.`], 'labels', 'mistaken', empty);
  await mistake([`file: ${empty} has no lines from line 9 on.`], 'labels', 'mistaken', empty, '--from', '9');
  await mistake([/^from: "0" is not a whole number/], 'labels', 'mistaken', empty, '--from', '0');
  await mistake([/^task_not_found: /], 'labels', 'none', wrong);
  await mistake([/^file: EISDIR/], 'labels', 'mistaken', '/tmp');
});

test('tasks labels: after a refusal in a later call, it goes on where it ended', async (t) => {
  const { file, json, mistake } = await beside(t);
  await json('put', 'continued', file('task.json', TASK));
  const first = labelsOf(LABEL_STATES_MAX, { angry: true });
  const unknown = `${JSON.stringify({ request_id: `req_${'x'.repeat(24)}`, expected: { angry: true } })}\n`;
  const rest = labelsOf(3, { angry: false }, LABEL_STATES_MAX);
  const labels = file('labels.jsonl', `\n${first}${rest}${unknown}`);
  await mistake(
    [
      `${labels}:${LABEL_STATES_MAX + 5}: answer_not_found: The task has no such answer, or keeps it no longer.`,
      `Lines up to ${LABEL_STATES_MAX + 1} of ${labels} are stored. To go on, repeat the command with --from ${LABEL_STATES_MAX + 2}.`,
      /^invalid_labels: /,
    ],
    'labels',
    'continued',
    labels,
  );
  const corrected = file('labels.jsonl', `\n${first}${rest}`);
  const from = String(LABEL_STATES_MAX + 2);
  t.match(await json('labels', 'continued', corrected, '--from', from), {
    lines: 3,
    labels: LABEL_STATES_MAX + 3,
  });
});

test('tasks: a server of 0.2.0 answers without the fields of later versions', async (t) => {
  const { environment, file, json } = await beside(t);
  const path = file('task.json', TASK);
  const { drift, shadow, warnings, ...task } = await json('put', 'earlier', path);
  t.strictSame([drift, shadow, warnings], [null, null, []]);
  const { url } = await rawStub(t, response(JSON.stringify(task)));
  for (const args of [
    ['show', 'earlier'],
    ['put', 'earlier', path],
  ]) {
    const { code, stdout, stderr } = await runCommand(t, ['tasks', ...args, '--url', url], environment);
    t.strictSame([code, stderr], [0, '']);
    t.match(stdout, /^task: +earlier\n/);
    t.match(stdout, /No fit is in force, so `accept` is null\.$/);
  }
});

test('tasks: a doubt is printed exactly if the server may have changed something', async (t) => {
  const { environment, file, json } = await beside(t);
  await json('put', 'doubted', file('task.json', TASK));
  const shown = response(JSON.stringify(await json('show', 'doubted')));
  // A proxy has lost the response of the server, and asks for no repetition.
  const lost = response('<html>', '504 Gateway Timeout', 'X-Should-Retry: false\r\n');
  const answered = 'unknown: The server, or a proxy before it, answered with status 504.';
  const task = file('task.json', TASK);
  const states = file('states.jsonl', labelsOf(1, { angry: true }));
  const named = file(
    'named.jsonl',
    JSON.stringify({ request_id: `req_${'r'.repeat(24)}`, expected: { angry: true } }),
  );
  const look = ': look at decider tasks show before you run the command again.\n';
  const stateless = file(
    'stateless.jsonl',
    JSON.stringify({ request_id: `req_${'r'.repeat(24)}`, state: null, expected: { angry: true } }),
  );
  for (const [args, answers, doubt] of [
    [['list'], [lost], '\n'],
    [['show', 'doubted'], [lost], '\n'],
    [['put', 'doubted', task], [lost], ` The task may have been changed${look}`],
    [['delete', 'doubted'], [lost], ` The task may have been deleted${look}`],
    [['fit', 'doubted'], [lost], ` The task may have been fitted${look}`],
    [['promote', 'doubted'], [lost], ` The task may have been promoted${look}`],
    [['labels', 'doubted', named], [lost], '\n'],
    [
      ['labels', 'doubted', named],
      [shown, lost],
      ' The labels may be stored. Sent again, each counts once.\n',
    ],
    [
      ['labels', 'doubted', stateless],
      [shown, lost],
      ' The labels may be stored. Sent again, each counts once.\n',
    ],
    [
      ['labels', 'doubted', states],
      [shown, lost],
      ' The labels may be stored. Sent again, those with a state are charged again; each counts once.\n',
    ],
  ] as const) {
    const { url } = await rawStub(t, ...answers);
    const { code, stderr } = await runCommand(t, ['tasks', ...args, '--url', url], environment);
    t.strictSame([code, stderr], [1, `${answered}${doubt}`]);
  }
});

test('tasks labels: from standard input; Ctrl-C says what is stored', async (t) => {
  const { environment, file, json, url } = await beside(t);
  await json('put', 'piped', file('task.json', TASK));
  const input = file('labels.jsonl', labelsOf(LABEL_STATES_MAX + 1, { angry: true }));
  const piped = decider(
    t,
    ['tasks', 'labels', 'piped', '--json', '--url', url],
    environment,
    `exec < "${input}";`,
  );
  const { code, stdout } = await piped.end();
  t.match([code, JSON.parse(stdout)], [0, { lines: LABEL_STATES_MAX + 1, labels: LABEL_STATES_MAX + 1 }]);

  const shown = response(JSON.stringify(await json('show', 'piped')));
  const task = { name: 'piped', version: 1 };
  const stored = response(JSON.stringify({ object: 'labels', task, lines: LABEL_STATES_MAX, labels: 9 }));
  const third = new EventEmitter();
  const stub = await rawStub(t, shown, stored, () => third.emit('sent'));
  const sent = once(third, 'sent');
  const interrupted = decider(t, ['tasks', 'labels', 'piped', input, '--url', stub.url], environment);
  await sent;
  interrupted.child.kill('SIGINT');
  const ended = await interrupted.end();
  const next = LABEL_STATES_MAX + 1;
  t.strictSame(
    [ended.code, ended.stderr],
    [
      130,
      `Lines up to ${LABEL_STATES_MAX} of ${input} are stored. To go on, repeat the command with --from ${next}.\n`,
    ],
  );
});
