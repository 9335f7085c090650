import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import type { ProjectorKind } from '../../models/tiny/index.js';
import { noisyJpeg } from '../support/images/jpeg.js';
import { png, RGB } from '../support/images/png.js';
import { dataFolder, modelsFolder, startTestServer } from '../support/server.js';
import { shared } from '../support/shared.js';

const KINDS: readonly ProjectorKind[] = ['gemma4v', 'gemma4uv'];
const ASK = { type: 'choice', criteria: ['a', 'b', 'c'] };

const asset = (bytes: Buffer, format = 'jpeg') => ({
  type: 'image',
  format,
  data_base64: bytes.toString('base64'),
});
const red = asset(png({ width: 640, height: 480, samples: { ...RGB, pixel: [255, 0, 0] } }), 'png');
const noise = asset(await noisyJpeg(700, 500));

/** Probabilities of a choice, as they were sent. */
const probabilities = (answer: { probabilities: Record<string, number> }) =>
  Object.values(answer.probabilities);

/** A models folder with a model of each kind, which has the name of the kind. */
function modelOfEachKind(folder: string): string {
  const models = KINDS.map((kind) => {
    modelsFolder(join(folder, kind), {}, { id: kind }, kind);
    const manifest = JSON.parse(readFileSync(join(folder, kind, 'models/manifest.json'), 'utf8'));
    const [model] = manifest.models;
    for (const file of [model.builds[0], model.builds[0].projector])
      file.file = `${kind}/models/${file.file}`;
    return model;
  });
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ default: KINDS[0], models }));
  return folder;
}

const serving = (environment: Record<string, string> = {}) =>
  shared((t) => startTestServer(t, environment, modelOfEachKind(dataFolder(t))));
const EXACT = { DECIDER_ENGINE_EXACT: 'true' };
const plainServer = serving();
const exactServer = serving(EXACT);
const of = async (server: ReturnType<typeof startTestServer>, kind: ProjectorKind) => {
  const { ask, decide } = await server;
  const path = `/m/${kind}/v1/decide`;
  return { ask: (body: object) => ask(body, path), decide: (body: object) => decide(body, path) };
};
const plain = (kind: ProjectorKind) => of(plainServer(), kind);
const exact = (kind: ProjectorKind) => of(exactServer(), kind);

test('contract 7.2: a valid image is read in the state, in instructions and in descriptions', async (t) => {
  const { ask } = await exact('gemma4uv');
  const without = await ask({ state: 'see it', questions: { q: ASK } });
  for (const [state, question] of [
    ['see pic', ASK],
    ['see', { ...ASK, instructions: 'What is pic?' }],
    ['see', { ...ASK, criteria: { a: 'like pic', b: null, c: null } }],
    ['pic', ASK],
    ['picpic', ASK],
  ] as const) {
    const answers = [];
    for (const pic of [red, noise, red]) {
      answers.push(await ask({ state, questions: { q: question }, assets: { pic } }));
    }
    t.strictSame(answers[2], answers[0], 'the same image, the same answer');
    t.notSame(answers[1].answers, answers[0].answers, 'another image, another answer');
    t.ok(answers[0].usage.input_tokens > without.usage.input_tokens + 200);
  }
});

test('contract 4.1: an image in a part of a multipart body gives the same answer as in base64', async (t) => {
  const { ask } = await exact('gemma4uv');
  const { url, headers } = await exactServer();
  const request = (pic: object) => ({ state: 'see pic', questions: { q: ASK }, assets: { pic } });
  const form = new FormData();
  form.set('request', JSON.stringify(request({ type: 'image', format: 'jpeg', part: 'file' })));
  form.set('file', new Blob([Buffer.from(noise.data_base64, 'base64')]));
  const response = await fetch(`${url}/m/gemma4uv/v1/decide`, {
    method: 'POST',
    headers: { authorization: headers.authorization },
    body: form,
  });
  t.strictSame([response.status, await response.json()], [200, await ask(request(noise))]);
});

for (const kind of KINDS) {
  test(`contract 4.3 rule 8 and contract 8 rule 4: an image costs its squares and two markers, at most its budget (${kind})`, async (t) => {
    const { ask } = await plain(kind);
    const wide = asset(await noisyJpeg(1_568, 280));
    const tokens = async (pic: object, image_budget?: number, state = 'see pic.') => {
      const body = { state, questions: { q: ASK }, assets: { pic }, image_budget };
      return (await ask(body)).usage.input_tokens as number;
    };
    for (const [pic, squares] of [
      [noise, [9 * 7, 14 * 10, 19 * 14]],
      [wide, [19 * 3, 28 * 5, 39 * 7]],
    ] as const) {
      const [small, middle, large] = [await tokens(pic, 70), await tokens(pic, 140), await tokens(pic, 280)];
      t.equal(await tokens(pic), large, '280 where none is named');
      t.strictSame([middle - small, large - small], [squares[1] - squares[0], squares[2] - squares[0]]);
      t.equal((await tokens(pic, 70, 'see picpic.')) - small, squares[0] + 2, 'each use is billed');
    }
  });

  test(`8 questions about one image: each has the answer of the question alone, and the image is billed once (${kind})`, async (t) => {
    const { ask } = await plain(kind);
    const names = Array.from({ length: 8 }, (_, index) => `q${index}`);
    const questionOf = (name: string) => ({ ...ASK, instructions: `Is it ${name}?` });
    const body = (asked: readonly string[]) => ({
      state: 'One pic was sent.',
      questions: Object.fromEntries(asked.map((name) => [name, questionOf(name)])),
      assets: { pic: noise },
    });
    const together = await ask(body(names));
    let billed = 0;
    for (const name of names) {
      const alone = await ask(body([name]));
      billed += alone.usage.input_tokens;
      const expected = probabilities(alone.answers[name]);
      for (const [place, p] of probabilities(together.answers[name]).entries()) {
        // Rounding adds 1e-4.
        t.ok(Math.abs(p - (expected[place] as number)) <= 1.1e-3, name);
      }
    }
    t.ok(together.usage.input_tokens < billed / 2);
  });

  test(`swapped references swap the images (${kind})`, async (t) => {
    const { ask } = await exact(kind);
    const see = async (state: string, assets: object) =>
      (await ask({ state, questions: { q: ASK }, assets })).answers;
    const ordered = await see('one, then two', { one: red, two: noise });
    t.notSame(await see('one, then two', { one: noise, two: red }), ordered);
    t.strictSame(await see('two, then one', { two: red, one: noise }), ordered, 'by any names');
    t.strictSame(await see('one, then two', { two: noise, one: red }), ordered, 'in any order of the list');
  });
}

test('exact mode: an answer about an image has the same bytes beside other requests and with a cached embedding', async (t) => {
  const models = modelsFolder(t.testdir(), {}, { id: 'gemma4v' }, 'gemma4v');
  const bodies = [red, noise].flatMap((pic) =>
    ['see pic', 'pic twice: pic'].map((state) => ({ state, questions: { q: ASK }, assets: { pic } })),
  );
  const first = await startTestServer(t, EXACT, models);
  const texts: string[] = [];
  for (const body of bodies) texts.push(await (await first.decide(body)).text());
  await first.stop();
  const second = await exact('gemma4v');
  const atOnce = () =>
    Promise.all([...bodies].reverse().map(async (body) => (await second.decide(body)).text()));
  t.strictSame((await atOnce()).reverse(), texts);
  t.strictSame((await atOnce()).reverse(), texts, 'from what is kept');
});
