import { test } from 'tap';
import { LIMITS } from '../../../src/api/index.js';
import {
  check,
  image,
  JPEG_URL,
  PNG_URL,
  PREDICATE,
  placeImages,
  refusal,
  refusedWith,
  user,
  withInput,
  withQuestion,
} from '../../support/decide/decisions.js';

const invalid = (place: string) => ['invalid_input', place];
const text = (value: string) => ({ type: 'input_text', text: value });

test('input is required, as a string or a list with an item', async (t) => {
  t.strictSame(refusedWith({ model: 'known', questions: [PREDICATE] }), ['missing', 'input']);
  t.strictSame(refusedWith(withInput(null)), ['missing', 'input']);
  for (const input of [7, true, {}, []]) t.strictSame(refusedWith(withInput(input)), invalid('input'));
});

test('the model is a string; an unknown one is answered by the default one', async (t) => {
  const of = (model: unknown, terms = {}) => check({ ...withInput('x'), model }, terms).build.id;
  t.equal(of('known'), 'known');
  t.equal(of('other'), 'other');
  t.equal(of('gpt-6-luna'), 'known');
  for (const model of [undefined, null, 7, {}])
    t.strictSame(refusedWith({ ...withInput('x'), model }), ['invalid_request', 'model']);
  t.equal(of(7, { model: 'other' }), 'other', 'a pinned model is answered whatever the body names');
  t.strictSame(refusedWith(withInput('x'), { allowedModels: ['other'] }), ['model_not_allowed', 'model']);
});

test('fields without an effect are accepted, and null for each; a wrong type is refused', async (t) => {
  const { request } = check(withInput('x'));
  for (const more of [
    { prompt_cache_key: 'k', prompt_cache_options: { mode: 'explicit', ttl: '30m' }, safety_identifier: 's' },
    { prompt_cache_key: null, prompt_cache_options: null, safety_identifier: null },
    { stream: false, unknown: {} },
  ])
    t.strictSame(check({ ...withInput('x'), ...more }).request, request);
  for (const [name, value] of [
    ['prompt_cache_key', 7],
    ['prompt_cache_options', 'x'],
    ['prompt_cache_options', []],
    ['safety_identifier', {}],
  ] as const)
    t.strictSame(refusedWith({ ...withInput('x'), [name]: value }), ['invalid_request', name]);
  const parts = [
    { ...text('a'), prompt_cache_breakpoint: { mode: 'explicit' } },
    { ...text('b'), prompt_cache_breakpoint: null },
  ];
  t.strictSame(
    check(withInput([user(parts)])).request,
    check(withInput([user([text('a'), text('b')])])).request,
  );
});

test('an invalid item is named by its place', async (t) => {
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '' };
  const custom = { type: 'custom_tool_call', call_id: 'c', name: 'f', input: '' };
  for (const [item, place] of [
    [7, ''],
    [null, ''],
    [{ type: 'reasoning' }, '.type'],
    [{ type: 7 }, '.type'],
    [{ content: 'x' }, '.role'],
    [{ role: 'tool', content: 'x' }, '.role'],
    [{ role: 'user' }, '.content'],
    [user(null), '.content'],
    [user({}), '.content'],
    [user([text('a'), 7]), '.content[1]'],
    [user([{ type: 'output_text', text: 'a' }]), '.content[0].type'],
    [user([{ type: 'input_file' }]), '.content[0].type'],
    [user([{ type: 'input_text' }]), '.content[0].text'],
    [user([{ type: 'input_json', data: 7 }]), '.content[0].data'],
    [user([{ type: 'input_json', data: [{}, 7] }]), '.content[0].data'],
    [user([{ type: 'input_json' }]), '.content[0].data'],
    [user([{ type: 'input_image' }]), '.content[0].image_url'],
    [user([image(PNG_URL, { detail: 'highest' })]), '.content[0].detail'],
    [user([image(PNG_URL, { detail: 7 })]), '.content[0].detail'],
    [user([image(PNG_URL, { detail: 'constructor' })]), '.content[0].detail'],
    [{ role: 'system', content: [{ type: 'input_json', data: {} }] }, '.content[0].type'],
    [{ role: 'developer', content: [image(PNG_URL)] }, '.content[0].type'],
    [{ role: 'assistant', content: [text('x')] }, '.content[0].type'],
    [{ role: 'assistant', content: [{ type: 'refusal', text: 'x' }] }, '.content[0].refusal'],
    [{ ...call, call_id: undefined }, '.call_id'],
    [{ ...call, name: null }, '.name'],
    [{ ...call, namespace: 7 }, '.namespace'],
    [{ ...call, arguments: {} }, '.arguments'],
    [{ ...custom, input: undefined }, '.input'],
    [{ type: 'function_call_output', call_id: 'c', output: 'x' }, '.call_id'],
    [{ type: 'custom_tool_call_output', output: 'x' }, '.call_id'],
  ] as const) {
    t.strictSame(
      refusedWith(withInput([user('x'), item])),
      invalid(`input[1]${place}`),
      JSON.stringify(item),
    );
  }
  const output = (value: unknown) => [call, { type: 'function_call_output', call_id: 'c', output: value }];
  t.strictSame(refusedWith(withInput(output(7))), invalid('input[1].output'));
  t.strictSame(
    refusedWith(withInput(output([{ type: 'input_json', data: {} }]))),
    invalid('input[1].output[0].type'),
  );
  t.strictSame(
    refusedWith(withInput([...output('x')].reverse())),
    invalid('input[0].call_id'),
    'a later call',
  );
});

test('detail decides how many tokens an image may take', async (t) => {
  const tokens = (more: object) => check(withInput([user([image(PNG_URL, more)])])).images[0]?.tokens;
  t.equal(tokens({ detail: 'low' }), 70);
  for (const detail of ['high', 'auto', 'original', null, undefined]) t.equal(tokens({ detail }), 280);
});

test('images are data: URLs in base64; what they say about the format is not looked at', async (t) => {
  const refused = (url: string) => refusedWith(withInput([user([image(url)])]));
  const place = 'input[0].content[0].image_url';
  const dataOf = (url: string) => check(withInput([user([image(url)])])).images[0]?.data;
  for (const head of ['data:image/png', 'data:image/png;name=a', 'DATA:IMAGE/WEBP', 'data:image/svg+xml'])
    t.equal(dataOf(`${head};base64,iVBORw0KGgo=`), 'iVBORw0KGgo=');
  for (const url of ['http://127.0.0.1/a.png', 'https://example.com/a.png', ' HTTPS://x', 'http:'])
    t.strictSame(refused(url), ['remote_image', place]);
  t.match(refusal(withInput([user([image('https://example.com/secret')])])).message, /`data:` URL/);
  t.notMatch(refusal(withInput([user([image('https://example.com/secret')])])).message, /secret/);
  for (const url of [
    '',
    'x',
    'file:///etc/passwd',
    'data:,x',
    'data:image/png,AAAA',
    'data:text/plain;base64,AAAA',
  ])
    t.strictSame(refused(url), ['invalid_image', place]);
});

test('an image that is sent again is one image; another budget makes another', async (t) => {
  const images = [image(PNG_URL), image(JPEG_URL), image(PNG_URL, { detail: 'low' }), image(PNG_URL)];
  const checked = check({
    ...withInput([user(images)]),
    questions: [{ ...PREDICATE, instructions: images.slice(1) }],
  });
  t.strictSame(
    checked.uses.state.map(({ asset }) => asset),
    [0, 1, 2, 0],
  );
  t.strictSame(
    checked.uses.questions[0]?.instructions.map(({ asset }) => asset),
    [1, 2, 0],
  );
  t.match(checked.images, [
    { place: 'input[0].content[0].image_url', tokens: 280 },
    { place: 'input[0].content[1].image_url', tokens: 280 },
    { place: 'input[0].content[2].image_url', tokens: 70 },
  ]);
});

test('a request has at most 8 images, and a question shows at most 8', async (t) => {
  const urls = (count: number) =>
    Array.from({ length: count }, (_, at) => image(PNG_URL.replace(/$/, 'A'.repeat(4 * at))));
  const ask = (inState: object[], inQuestion: object[]) => ({
    model: 'known',
    input: [user([text('x'), ...inState])],
    questions: [PREDICATE, { ...PREDICATE, instructions: [text('y'), ...inQuestion] }],
  });
  const most = LIMITS.assets;
  t.equal(check(ask(urls(most), [])).images.length, most);
  t.strictSame(refusedWith(ask(urls(most + 1), [])), [
    'too_many_images',
    `input[0].content[${most + 1}].image_url`,
  ]);
  const same = (count: number) => Array.from({ length: count }, () => image(PNG_URL));
  const shown = LIMITS.imagesPerQuestion;
  t.equal(check(ask(same(3), same(shown - 3))).images.length, 1);
  t.strictSame(refusedWith(ask(same(3), same(shown - 2))), ['too_many_images', 'questions[1].instructions']);
  t.strictSame(refusedWith(ask(same(shown + 1), [])), ['too_many_images', 'input']);
});

test('instructions are a string, or parts one below the other', async (t) => {
  const of = (instructions: unknown) => {
    const { request, uses } = check(withQuestion({ type: 'predicate', instructions }));
    const found = request.questions[0]?.instructions ?? null;
    return found === null ? null : placeImages(found, uses.questions[0]?.instructions ?? []);
  };
  t.equal(of('Is it?\n  Really?'), 'Is it?\n  Really?');
  t.equal(of(''), '');
  for (const none of [undefined, null, []]) t.equal(of(none), null);
  t.equal(
    of([text('Is it\nthis?'), image(PNG_URL), { type: 'input_json', data: { a: [1] } }]),
    ['Is it', 'this?', '[image 0]', '{', '  "a": [', '    1', '  ]', '}'].join('\n'),
  );
  for (const [instructions, place] of [
    [7, ''],
    [{}, ''],
    [[7], '[0]'],
    [[{ type: 'output_text', text: 'x' }], '[0].type'],
  ] as const)
    t.strictSame(refusedWith(withQuestion({ type: 'predicate', instructions })), [
      'invalid_question',
      `questions[0].instructions${place}`,
    ]);
  t.strictSame(refusedWith(withQuestion({ type: 'predicate', instructions: [image('https://x')] })), [
    'remote_image',
    'questions[0].instructions[0].image_url',
  ]);
});
