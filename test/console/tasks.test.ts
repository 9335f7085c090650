import { test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { LABEL_STATES_MAX } from '../../src/client/label-pieces.js';
import { indented } from '../../src/console/json/json-node.js';
import { readLabelFile } from '../../src/console/tasks/label-file.js';
import { areEqual, isTaskName, isToAsk, readTask } from '../../src/console/tasks/loaded-task.js';
import { roundBottom, roundTop, ticksOf } from '../../src/console/tasks/plot-ticks.js';

const read = (content: string | Uint8Array<ArrayBuffer>) =>
  readLabelFile(new File([content], 'labels.jsonl'), new AbortController().signal);

const sizes = (parts: ReadonlyArray<readonly unknown[]>) => parts.map(({ length }) => length);

test('labels are divided into calls, at the limits and one past them', async (t) => {
  const label = '{"request_id":"r","expected":{"q":true}}';
  const state = '{"state":"s","expected":{"q":true}}';
  const lines = (line: string, count: number) => Array.from({ length: count }, () => line).join('\n');
  const { labelLines, taskLabels } = LIMITS;
  const labelStates = LABEL_STATES_MAX;
  t.strictSame(sizes((await read(lines(label, labelLines))).parts), [labelLines]);
  t.strictSame(sizes((await read(lines(label, labelLines + 1))).parts), [labelLines, 1]);
  t.strictSame(sizes((await read(lines(state, labelStates))).parts), [labelStates]);
  const states = await read(`${lines(state, labelStates + 1)}\n${label}`);
  t.strictSame([sizes(states.parts), states.states], [[labelStates, 2], labelStates + 1]);
  const long = JSON.stringify({ state: 'x'.repeat(LIMITS.labelBytes / 2), expected: { q: true } });
  t.strictSame(sizes((await read(lines(long, 2))).parts), [1, 1]);
  // With its end, a line has one byte more.
  const sized = (bytes: number) => {
    const rest = bytes - '{"state":""}'.length;
    return `{"state":"${'é'.repeat(rest >> 1)}${'x'.repeat(rest & 1)}"}`;
  };
  const most = await read(`${label}\n${sized(LIMITS.labelBytes - 1)}\n${label}`);
  t.strictSame([sizes(most.parts), most.invalidLines], [[1, 1, 1], 0]);
  t.match(await read(`${label}\n${sized(LIMITS.labelBytes)}\n${label}`), {
    parts: [[{ number: 1 }, { number: 3 }]],
    invalidLines: 1,
    errors: [{ line: 2, type: 'body_too_large', error: 'The line has more than 4 MiB.' }],
  });
  t.equal((await read(lines(label, taskLabels))).problem, null);
  t.match((await read(lines(label, taskLabels + 1))).problem, /more than 20000 lines/);
});

test('lines of a file of labels keep their numbers', async (t) => {
  const file = await read('\ufeff{"a":1}\r\n\n{"b":2}\nnonsense\n"text"\n');
  t.strictSame(
    file.parts.flat().map(({ number }) => number),
    [1, 3, 5],
  );
  t.match(file, { lines: 4, invalidLines: 1, errors: [{ line: 4, type: 'invalid_json' }] });
  t.strictSame((await read('{"state":"s"}\n{"state":null}\n{"request_id":"r"}\n7\n')).states, 1);
  t.equal((await read('\n \n')).problem, 'The file has no lines.');
  t.equal((await read(Uint8Array.of(0xff, 0x0a))).problem, 'The file is not UTF-8 text: save it as UTF-8.');
});

test('the questions of a task keep the order in which they were sent', async (t) => {
  const questions = '{"10":{"type":"choice","criteria":{"2":"b","1":null}},"9":{"type":"noul"}}';
  const loaded = readTask(`{"name":"a","questions":${questions}}`);
  t.strictSame(
    loaded.asked.map(({ name, options }) => [name, options]),
    [
      ['10', ['2', '1']],
      ['9', []],
    ],
  );
  t.equal(indented(loaded.questions).replace(/\s/g, ''), questions);
  t.ok(areEqual(loaded.questions, readTask(`{"questions": ${questions}}`).questions));
  t.notOk(areEqual(loaded.questions, readTask('{"questions":{"9":{"type":"noul"}}}').questions));
  t.strictSame(['a.b:C_1-', 'x'.repeat(64)].map(isTaskName), [true, true]);
  t.strictSame(['', '.', '..', 'a/b', 'x'.repeat(65), 'ä'].map(isTaskName), Array(6).fill(false));
});

test('a change of a task is confirmed for the task as it is', async (t) => {
  const read = (fields: object) =>
    readTask(
      JSON.stringify({
        name: 'a',
        version: 1,
        model: null,
        updated_at: '2026-11-28T10:00:00.000+00:00',
        questions: { q: { type: 'noul' } },
        ...fields,
      }),
    );
  const seen = read({});
  const wanted = readTask('{"questions":{"other":{"type":"noul"}}}').questions;
  t.notOk(isToAsk(seen, null, '', seen.questions), 'nothing changes');
  t.ok(isToAsk(seen, null, '', wanted));
  t.ok(isToAsk(seen, null, 'another', seen.questions));
  t.notOk(isToAsk(read({}), seen, '', wanted), 'it was confirmed');
  // A promotion, and a change of the settings or the labels of another person meanwhile.
  t.ok(isToAsk(read({ version: 2 }), seen, '', wanted));
  t.ok(isToAsk(read({ updated_at: '2026-11-28T10:00:00.001+00:00' }), seen, '', wanted));
});

test('the numbers of an axis are round', async (t) => {
  const texts = (from: number, to: number) => ticksOf(from, to).map(({ text }) => text);
  t.strictSame(texts(0, 1), ['0', '20', '40', '60', '80', '100']);
  t.strictSame(texts(0.5, 1), ['50', '60', '70', '80', '90', '100']);
  t.strictSame(texts(0, 0.004), ['0.0', '0.1', '0.2', '0.3', '0.4']);
  t.strictSame([0, 0.001, 0.05, 0.051, 0.4, 1].map(roundTop), [0.001, 0.001, 0.05, 0.06, 0.4, 1]);
  t.strictSame([0, 0.09, 0.5, 0.99, 1].map(roundBottom), [0, 0, 0.5, 0.9, 0.9]);
});
