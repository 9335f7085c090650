import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { type Test, test } from 'tap';
import { encode } from '../../src/client/encode.js';
import { choice, Decider, noul, score } from '../../src/client/index.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { ROOT } from '../support/sources.js';

// What the client sends is what the caller gave: a value that JSON would change is refused before anything is sent.

class Record3 {
  readonly id = 3;
}
class Hidden {
  #id = 3;
  get id() {
    return this.#id;
  }
}
const circle: { inner?: object } = {};
circle.inner = circle;

/** Values that `JSON.stringify` changes or leaves out. */
const REFUSED: Readonly<Record<string, unknown>> = {
  nan: Number.NaN,
  infinity: Number.POSITIVE_INFINITY,
  negative: Number.NEGATIVE_INFINITY,
  boxed: new Number(Number.NaN),
  bigint: 10n,
  function: () => 1,
  symbol: Symbol('x'),
  invalidDate: new Date(Number.NaN),
  undefinedJson: { toJSON: () => undefined },
  nanJson: { toJSON: () => Number.NaN },
  set: new Set([1]),
  numberKeys: new Map([[1, 2]]),
  weak: new WeakMap(),
  promise: Promise.resolve('x'),
  blob: new Blob(['x']),
  bytes: new Uint8Array([1, 2]),
  numbers: new Float64Array([1]),
  buffer: Buffer.from('x'),
  arrayBuffer: new ArrayBuffer(2),
  expression: /x/,
  error: new Error('x'),
  headers: new Headers({ a: 'b' }),
  form: new FormData(),
  hidden: new Hidden(),
  undefinedInList: [undefined],
  hole: new Array(2),
  nanInMap: new Map([['a', Number.NaN]]),
  circle,
};

/** Values that have another form in JSON. */
const SENT: ReadonlyArray<readonly [unknown, string]> = [
  [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  [new URL('http://h/x'), '"http://h/x"'],
  [new Record3(), '{"id":3}'],
  [Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  [new String('x'), '"x"'],
  [{ a: undefined, b: 1 }, '{"b":1}'],
  ['a\ud800b', '"a\\ud800b"'],
  [JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
  [
    new Map<string, unknown>([
      ['10', new Map([['b', [new Map()]]])],
      ['2', new Date(0)],
      ['a', undefined],
    ]),
    '{"10":{"b":[{}]},"2":"1970-01-01T00:00:00.000Z"}',
  ],
  [
    [new Map([['x', new Record3()]]), { toJSON: () => new Map([['y', 1]]) }, new Number(1), 'é"'],
    '[{"x":{"id":3}},{"y":1},1,"é\\""]',
  ],
];

const seed = seedFromEnvironment();
const next = random(seed);
const some = <Value>(make: () => Value): Value[] => Array.from({ length: next.integer(4) }, make);
const NAMES = ['a', 'b c', '10', '2', '', '__proto__', 'é', '"', 'x.y'];

/** A value that JSON has; with `Map` in place of some objects if `mapped`. */
function value(depth: number, mapped: boolean): unknown {
  const kind = next.integer(depth > 3 ? 2 : 4);
  if (kind === 0) return next.pick([null, true, false, 0, -0.5, 1e300, 1e21, 2 ** 53]);
  if (kind === 1) return next.pick(['', 'x', 'é\u2028', '\ud83d\ude00', '\udc00']);
  if (kind === 2) return some(() => value(depth + 1, mapped));
  const entries = new Map(some(() => [next.pick(NAMES), value(depth + 1, mapped)]));
  return mapped && next.integer(2) === 0 ? entries : Object.fromEntries(entries);
}

/** What `JSON.stringify` writes of the same without maps. It has the keys of an object in the order of JavaScript. */
const plain = (each: unknown): unknown => {
  if (Array.isArray(each)) return each.map(plain);
  if (typeof each !== 'object' || each === null) return each;
  const entries = each instanceof Map ? [...each] : Object.entries(each);
  return Object.fromEntries(entries.map(([key, inner]) => [key, plain(inner)]));
};

/** Puts a value somewhere into a list or an object; its path. */
function placed(bad: unknown, depth: number): { readonly whole: unknown; readonly path: string } {
  if (depth === 0) return { whole: bad, path: '' };
  const { whole, path } = placed(bad, depth - 1);
  const before = some(() => value(3, false));
  if (next.integer(2) === 0) return { whole: [...before, whole, 'x'], path: `[${before.length}]${path}` };
  const fields = Object.fromEntries(before.map((each, at) => [`f${at}`, each]));
  const object = { ...fields, key: whole, last: 1 };
  return { whole: next.integer(2) === 0 ? object : new Map(Object.entries(object)), path: `.key${path}` };
}

test('a value is sent as JSON.stringify writes it, and a map as an object in its order', async (t) => {
  t.comment(`seed ${seed}`);
  for (let at = 0; at < 500; at += 1) {
    const each = value(0, false);
    t.equal(encode(each, 'state'), JSON.stringify(each));
    const mapped = value(0, true);
    t.strictSame(JSON.parse(encode(mapped, 'state')), JSON.parse(JSON.stringify(plain(mapped))));
    const names = [...new Set(some(() => next.pick(NAMES)))];
    const ordered = encode(new Map(names.map((name) => [name, 1])), 'state');
    t.equal(ordered, `{${names.map((name) => `${JSON.stringify(name)}:1`).join()}}`);
  }
  for (const [each, text] of SENT) t.equal(encode(each, 'state'), text);
});

test('a value of another frame, whose classes are others, is sent as one of this frame', async (t) => {
  t.comment(`seed ${seed}`);
  for (let at = 0; at < 100; at += 1) {
    const text = JSON.stringify(value(0, false));
    t.equal(encode(runInNewContext(`JSON.parse(${JSON.stringify(text)})`), 'state'), text);
  }
  const foreign = (code: string) => runInNewContext(`({ a: ${code} })`);
  const map = 'new Map([["10", {}], ["2", new Map()], ["x", new Date(0)]])';
  t.equal(encode(foreign(map), 'state'), '{"a":{"10":{},"2":{},"x":"1970-01-01T00:00:00.000Z"}}');
  const hidden = 'new (class Hidden { #id = 3; })()';
  for (const bad of [
    'new Set([1])',
    'new Date(NaN)',
    'Promise.resolve()',
    'new Uint8Array(2)',
    '/x/',
    hidden,
  ])
    t.throws(() => encode(foreign(bad), 'state'), { message: /^state\.a: is / }, bad);
  t.throws(() => encode(foreign('new Map([[1, 2]])'), 'state'), { message: /^state\.a: has a key that is/ });
  const { a: criteria } = foreign('new Map([["10", "ten"], ["2", null]])');
  t.equal(choice(null, criteria as ReadonlyMap<string, string>).criteria, criteria);
});

test('a value that JSON would change is refused, with its place', async (t) => {
  t.comment(`seed ${seed}`);
  for (const [name, bad] of Object.entries(REFUSED)) {
    for (let at = 0; at < 10; at += 1) {
      const { whole, path } = placed(bad, next.integer(4));
      const found = thrownBy(() => encode(whole, 'state'));
      t.ok(found instanceof TypeError, name);
      t.ok(found?.message.startsWith(`state${path}`), `${name}: ${found?.message} is about state${path}`);
    }
  }
  const message = (each: unknown) => thrownBy(() => encode(each, 'state'))?.message;
  t.equal(message({ price: [1, Number.NaN] }), 'state.price[1]: is NaN, which JSON does not have.');
  t.equal(
    message({ 'a b': new Set() }),
    'state."a b": is of the class Set, whose content JSON does not have.',
  );
  t.equal(
    message({ ['x'.repeat(99)]: 1n }),
    `state.${'x'.repeat(63)}…: is a bigint; give a number or a string.`,
  );
  t.equal(message(circle), `state${'.inner'.repeat(16)}…: is nested too deeply, or contains itself.`);
  t.equal(message(undefined), 'state: must not be undefined.');
  t.match(thrownBy(() => encode({ state: [undefined] }, ''))?.message, /^state\[0\]: must not be undefined/);
});

function thrownBy(run: () => unknown): Error | null {
  try {
    run();
    return null;
  } catch (error) {
    return error as Error;
  }
}

/** A client that answers every call, and the bodies that it has sent. */
function recording() {
  const sent: string[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    sent.push(await new Response(init?.body ?? '').text());
    return new Response('{"answers":{},"id":"b","name":"n","labels":1,"lines":1,"data":[]}');
  };
  return { decider: new Decider({ url: 'http://h', token: 'x', fetch }), sent };
}

/** Checks that a call is rejected with TypeError about a place, and sends nothing. */
async function refuses(t: Test, call: (decider: Decider) => Promise<unknown>, place: string): Promise<void> {
  const { decider, sent } = recording();
  const error = await call(decider).then(
    () => null,
    (thrown) => thrown,
  );
  t.ok(error instanceof TypeError, `${place}: ${error}`);
  t.ok(error?.message.startsWith(`${place}`), `${error?.message} is about ${place}`);
  t.strictSame(sent, [], place);
}

const questions = { q: noul('Is it?') };
const png = new Uint8Array(70_000);
png.set([0x89, 0x50, 0x4e, 0x47]);
const line = { custom_id: 'a', model: 'm', questions };

test('no call sends a value that JSON would change', async (t) => {
  for (const bad of Object.values(REFUSED)) {
    const state = { bad };
    const question = { type: 'noul', instructions: { bad } } as never;
    await refuses(t, (d) => d.decide({ state, questions }), 'state.bad');
    await refuses(t, (d) => d.decide({ state, questions, images: { '[i]': png } }), 'state.bad');
    await refuses(
      t,
      (d) => d.decide({ state: 'x', questions: { question } }),
      'questions.question.instructions.bad',
    );
    await refuses(t, (d) => d.decisions({ model: 'm', input: { bad } as never, questions: [] }), 'input.bad');
    await refuses(
      t,
      (d) =>
        d.batches.submit([
          { ...line, state: 'x' },
          { ...line, state },
        ]),
      'lines[1].state.bad',
    );
    await refuses(t, (d) => d.tasks.decide('t', { state }), 'state.bad');
    await refuses(
      t,
      (d) => d.tasks.put('t', { questions, target_error: { bad } as never }),
      'target_error.bad',
    );
    await refuses(t, (d) => d.tasks.promote('t', { version: { bad } as never }), 'version.bad');
    await refuses(t, (d) => d.tasks.label('t', [{ state, expected: { q: true } }]), 'labels[0].state.bad');
    const expected = { q: { bad } } as never;
    await refuses(t, (d) => d.tasks.label('t', [{ request_id: 'r', expected }]), 'labels[0].expected.q.bad');
  }
  const folder = join(ROOT, 'src/client');
  const writers = readdirSync(folder).filter((name) =>
    /JSON\.stringify\(/.test(readFileSync(join(folder, name), 'utf8')),
  );
  t.strictSame(writers, ['encode.ts'], 'everything that is sent is written in one place');
});

test('what is no list of lines is refused', async (t) => {
  const lists = [
    undefined,
    null,
    5,
    {},
    new Uint16Array([1]),
    new DataView(new ArrayBuffer(2)),
    new ArrayBuffer(3),
  ];
  for (const list of lists as never[]) {
    await refuses(t, (d) => d.batches.submit(list), 'lines: must be a list');
    await refuses(t, (d) => d.tasks.label('t', list), 'labels: must be a list');
    await refuses(t, (d) => d.tasks.labelLines('t', list), 'lines: must be a list');
  }
  await refuses(t, (d) => d.tasks.label('t', 'x' as never), 'labels: must be a list');
  await refuses(t, (d) => d.tasks.labelLines('t', 'x' as never), 'lines: must be a list');
  for (const entry of [
    undefined,
    null,
    '{"custom_id":"a"}',
    5,
    [{}],
    new Map(),
    new Uint8Array(2),
  ] as never[]) {
    await refuses(t, (d) => d.batches.submit([entry]), 'lines[0]: must be an object with fields');
    await refuses(t, (d) => d.tasks.label('t', [entry]), 'labels[0]: must be an object with fields');
    await refuses(t, (d) => d.decide(entry), 'request: must be an object with fields');
  }
  for (const entry of [undefined, null, {}, 5] as never[])
    await refuses(t, (d) => d.tasks.labelLines('t', [entry]), 'lines[0]: must be a string');
  for (const images of [[], new Map([['[i]', png]]), 'x', null] as never[]) {
    await refuses(t, (d) => d.decide({ state: 'x', questions, images }), 'images: must be an object');
    await refuses(t, (d) => d.batches.submit([{ ...line, state: 'x', images }]), 'images: must be an object');
  }
});

test('a text that UTF-8 does not have is refused', async (t) => {
  for (const text of ['{"a":"\ud800"}', '{"a":"\udc00\ud800"}']) {
    await refuses(t, (d) => d.batches.submit(text), 'lines: has half of a surrogate pair');
    await refuses(t, (d) => d.tasks.put('t', text), 'task: has half of a surrogate pair');
    await refuses(t, (d) => d.tasks.labelLines('t', ['{}', text]), 'lines[1]: has half of a surrogate pair');
  }
  const { decider, sent } = recording();
  await decider.batches.submit('{"a":"\ud83d\ude00"}');
  t.strictSame(sent, ['{"a":"\ud83d\ude00"}']);
});

test('labels whose order JavaScript changes are refused, and sent from a map', async (t) => {
  const lost = { 10: 'ten', 2: 'two' };
  t.throws(() => choice('Which?', lost), /^criteria: JavaScript changes the order .* such as "2"/);
  t.throws(() => choice('Which?', { a: null, 4294967294: null }), TypeError);
  for (const kept of [{ 10: 'ten' }, { a: null, '01': null, 4294967295: null, '-1': null }, ['10', '2']])
    t.strictSame(choice(null, kept), { type: 'choice', criteria: kept });
  t.strictSame(score(null, ['2', '1']), { type: 'score', criteria: ['2', '1'] });
  const bad = { size: { type: 'choice', criteria: lost } } as const;
  await refuses(t, (d) => d.decide({ state: 1, questions: bad }), 'questions.size.criteria');
  await refuses(t, (d) => d.tasks.put('t', { questions: bad }), 'questions.size.criteria');
  await refuses(
    t,
    (d) => d.batches.submit([{ ...line, state: 1, questions: bad }]),
    'lines[0].questions.size.criteria',
  );
  const { decider, sent } = recording();
  const size = choice(
    null,
    new Map([
      ['10', 'ten'],
      ['2', null],
    ]),
  );
  await decider.decide({ state: lost, questions: { size } });
  t.strictSame(sent, [
    '{"state":{"2":"two","10":"ten"},"questions":{"size":{"type":"choice","criteria":{"10":"ten","2":null}}}}',
  ]);
});
