import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Test, test } from 'tap';
import { type Draft, option, question } from '../../src/console/ask/ask-draft.js';
import { ARGUMENT_BYTES_MAX, codeOf } from '../../src/console/ask/code.js';
import { FIRST_DRAFT } from '../../src/console/ask/examples.js';
import { buildRequest } from '../../src/console/ask/request.js';
import { typedRequest } from '../../src/console/ask/typed-request.js';
import { indented } from '../../src/console/json/json-node.js';
import { hostileDraft, imageDraft } from '../support/console/drafts.js';

/** Why programs in another language are not tested; false if they are. */
const missing = (program: string): string | false =>
  spawnSync(program, ['--version']).error !== undefined &&
  `SKIPPED: ${program} is not installed; the programs for it are NOT tested`;

const isIndex = (name: string): boolean => /^\d+$/.test(name);
const jsonDraft: Draft = { ...FIRST_DRAFT, stateKind: 'json', state: '[true, null, 1.5]' };
/** Without what JavaScript does not keep: see programs-keep.test.ts. */
const valuesDraft: Draft = {
  ...hostileDraft,
  questions: hostileDraft.questions
    .filter(({ name }) => !isIndex(name))
    .map((each) => ({ ...each, options: each.options.filter(({ label }) => !isIndex(label)) })),
};
const VALUES = [valuesDraft, imageDraft, { ...valuesDraft, images: imageDraft.images }, jsonDraft];
const DRAFTS = [hostileDraft, imageDraft, { ...hostileDraft, images: imageDraft.images }, jsonDraft];

/** Runs a program of `curl` against a server, and reads the body that arrives. */
async function received(
  t: Test,
  draft: Draft,
): Promise<{ code: string; request: string; image: string | null }> {
  let arrived: Promise<{ request: string; image: string | null }> | null = null;
  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk);
    const body = new Response(Buffer.concat(chunks), {
      headers: { 'content-type': `${message.headers['content-type']}` },
    });
    arrived =
      draft.images.length === 0 ? body.text().then((request) => ({ request, image: null })) : partsOf(body);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const request = buildRequest(draft);
  const code = codeOf('curl', request, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const cwd = t.testdir({ 'a_b.png': 'x' });
  writeFileSync(join(cwd, 'request.json'), indented(request.node));
  const run = await promisify(execFile)('bash', ['-c', code], {
    cwd,
    env: { ...process.env, TOKEN: 'dk_x' },
  });
  t.equal(run.stdout, '');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return { code, ...(await (arrived as unknown as ReturnType<typeof partsOf>)) };
}

async function partsOf(body: Response) {
  const form = await body.formData();
  const image = form.get('image-1');
  return {
    request: `${form.get('request')}`,
    image: typeof image === 'string' ? null : ((await image?.text()) ?? null),
  };
}

test('curl sends the request of the console, whatever is in its texts', {
  skip: missing('curl'),
}, async (t) => {
  for (const draft of DRAFTS) {
    const { request, image } = await received(t, draft);
    t.equal(request, indented(buildRequest(draft).node));
    t.equal(image, draft.images.length === 0 ? null : 'x');
  }
});

test('a request that is too long for an argument is sent from a file', {
  skip: missing('curl'),
}, async (t) => {
  for (const images of [[], imageDraft.images]) {
    const sized = (bytes: number): Draft => {
      const draft = (state: string): Draft => ({ ...FIRST_DRAFT, images, state });
      const rest = Buffer.byteLength(indented(buildRequest(draft('')).node));
      // Characters of two bytes: fewer characters than bytes.
      const odd = (bytes - rest) % 2;
      return draft('é'.repeat((bytes - rest - odd) / 2) + 'x'.repeat(odd));
    };
    for (const [bytes, isShort] of [
      [ARGUMENT_BYTES_MAX, true],
      [ARGUMENT_BYTES_MAX + 1, false],
      [200_000, false],
    ] as const) {
      const draft = sized(bytes);
      const { code, request } = await received(t, draft);
      t.equal(code.includes('request.json'), !isShort, `${bytes} bytes`);
      t.strictSame(JSON.parse(request), JSON.parse(indented(buildRequest(draft).node)));
    }
  }
});

test('programs are valid in their language, whatever the names are', async (t) => {
  for (const draft of VALUES) {
    const request = buildRequest(draft);
    const typescript = codeOf('typescript', request, 'http://127.0.0.1:8080/');
    t.match(typescript, 'baseURL: "http://127.0.0.1:8080",');
    if (draft.images.length === 0) {
      const [, literal] = /systemOne\(([\s\S]*)\);\nconsole/.exec(typescript) ?? [];
      t.equal(
        JSON.stringify(new Function(`return ${literal}`)()),
        JSON.stringify(JSON.parse(indented(typedRequest(request.node)))),
      );
    }
    const openai = codeOf('openai', request, 'http://127.0.0.1:8080/');
    t.match(openai, 'baseURL: "http://127.0.0.1:8080/v1" });');
    const [, written] = /create\(([\s\S]*)\);\nconsole/.exec(openai) ?? [];
    const value = new Function('url1', `return ${written}`)('data:image/png;base64,AA==');
    t.strictSame(
      value.questions.map(({ name }: { name: string }) => name),
      request.questions.map(({ name }) => name),
    );
  }
});

test('the programs for Python are valid', { skip: missing('python3') }, async (t) => {
  for (const draft of DRAFTS) {
    const input = codeOf('python', buildRequest(draft), 'http://127.0.0.1:8080/');
    const run = spawnSync('python3', ['-c', 'import ast,sys; ast.parse(sys.stdin.read())'], { input });
    t.equal(run.status, 0, `${run.stderr}`);
  }
});

test('the program for OpenAI’s client has the same request in the form of that client', async (t) => {
  const bodyOfDraft = (draft: Partial<Draft>) => {
    const code = codeOf('openai', buildRequest({ ...FIRST_DRAFT, ...draft }), 'http://h');
    const [, written] = /create\(([\s\S]*)\);\nconsole/.exec(code) ?? [];
    return new Function('url1', `return ${written}`)('URL');
  };
  const questions = [
    question('sides', 'noul', 'Is it?', [option('Yes', 'it is'), option('No', '')]),
    question('labels', 'choice', '', [option('a', 'the [a.png]'), option('b', '')]),
    question('levels', 'score', 'See [a.png]', [option('', 'low'), option('', '')]),
  ];
  t.strictSame(bodyOfDraft({ state: 'It rains.', model: 'own', questions }), {
    model: 'own',
    input: 'It rains.',
    questions: [
      { type: 'predicate', name: 'sides', instructions: 'Is it?\n\nCriteria for true:\nit is' },
      {
        type: 'choice',
        name: 'labels',
        choices: [{ value: 'a', description: 'the [a.png]' }, { value: 'b' }],
      },
      {
        type: 'score',
        name: 'levels',
        instructions: 'See [a.png]',
        levels: [{ label: '0', description: 'low' }, { label: '1' }],
      },
    ],
  });
  const json = (state: string) => bodyOfDraft({ stateKind: 'json', state }).input;
  const data = (value: unknown) => [{ role: 'user', content: [{ type: 'input_json', data: value }] }];
  t.strictSame(json('{"a":1.5}'), data({ a: 1.5 }));
  t.strictSame(json('[{"a":1},{}]'), data([{ a: 1 }, {}]));
  t.equal(json('[1, "x"]'), '[\n  1,\n  "x"\n]');
  t.equal(json('[]'), '[]');
  const picture = { type: 'input_image', image_url: 'URL', detail: 'low' };
  t.strictSame(bodyOfDraft(imageDraft).input, [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'See ' },
        picture,
        { type: 'input_text', text: ' and ' },
        picture,
      ],
    },
  ]);
  const shown = bodyOfDraft({ ...imageDraft, imageBudget: 280, questions: questions.slice(2) });
  t.strictSame(shown.questions[0].instructions, [
    { type: 'input_text', text: 'See ' },
    { type: 'input_image', image_url: 'URL' },
  ]);
  t.throws(() => bodyOfDraft({ ...imageDraft, questions }), /"labels" shows an image in a description/);
  for (const [type, reason] of [
    ['{"q":{"type":"other"}}', /"q" has no type/],
    ['{"q":{"type":"choice"}}', /"q" has no choices/],
    ['{"q":{"type":"score","criteria":{}}}', /"q" has no levels/],
    ['[]', /object of questions/],
  ] as const) {
    t.throws(() => bodyOfDraft({ questionsKind: 'json', questionsJson: type }), reason);
  }
});
