import { test } from 'tap';
import { ApiError } from '../../../src/api/index.js';
import { checkDecisions } from '../../../src/decide/decisions/check-decisions.js';
import { shownParts } from '../../../src/decide/plan.js';
import { stateText } from '../../../src/decide/request/state-text.js';
import { CATALOG, image, PNG_URL, user } from '../../support/decide/decisions.js';
import { random, seedFromEnvironment } from '../../support/random.js';
import { scaled } from '../../support/scale.js';

/** Checks an input, which is also the instructions of a question, for a model whose prompts have so many bytes; null: any. */
function read(input: readonly object[], content: unknown, promptBytes: number | null) {
  const questions = [{ type: 'predicate', instructions: content }];
  const body = Buffer.from(JSON.stringify({ model: 'known', input, questions }));
  const catalog = promptBytes === null ? CATALOG : { ...CATALOG, promptBytes: () => promptBytes };
  return checkDecisions(body, { model: null, files: new Map(), allowedModels: null }, catalog);
}

type Checked = ReturnType<typeof read>;

/** Reads, or returns the refusal, such as that of too many images. */
function readOrRefuse(...parameters: Parameters<typeof read>): Checked | ApiError {
  try {
    return read(...parameters);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const PIECES = [
  'a', 'word ', '\n', '\r', '\r\n', '\n\n', '\u2028', '\u0085', '\v', '😀', '\ud83d', '\ude00', '"', '', 'user:', '\t',
]; // biome-ignore format: one group of pieces a line

test('a text beyond what a prompt can have is cut, and the model reads the same', (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const piece = () => Array.from({ length: next.integer(12) }, () => next.pick(PIECES)).join('');
  const json = (depth: number): unknown => {
    const kind = depth === 0 ? 0 : next.integer(3);
    if (kind === 0) return piece();
    const values = Array.from({ length: next.integer(4) }, () => json(depth - 1));
    return kind === 1 ? values : Object.fromEntries(values.map((value) => [piece(), value]));
  };
  const part = () => {
    const kind = next.integer(5);
    if (kind === 0) return image(PNG_URL);
    if (kind === 1) return { type: 'input_json', data: { [piece()]: json(3) } };
    return { type: 'input_text', text: piece() };
  };
  let cut = 0;
  for (let round = 0; round < scaled({ short: 4_000, long: 30_000 }); round += 1) {
    const items: object[] = Array.from({ length: 1 + next.integer(3) }, () => {
      const parts = Array.from({ length: next.integer(5) }, part);
      return next.integer(4) === 0 ? { role: 'system', content: piece() } : user(parts);
    });
    const content = Array.from({ length: 1 + next.integer(3) }, part);
    const bytes = next.integer(60);
    const whole = readOrRefuse(items, content, null);
    const short = readOrRefuse(items, content, bytes);
    const message = `${JSON.stringify(items)}, ${JSON.stringify(content)}, ${bytes} bytes`;
    if (whole instanceof ApiError || short instanceof ApiError) {
      if (String(short) !== String(whole)) return t.equal(String(short), String(whole), message);
      continue;
    }
    // As `planRequest` cuts it.
    const parts = ({ request, uses }: Checked) => shownParts(stateText(request.state, bytes + 1), uses.state);
    if (JSON.stringify(parts(short)) !== JSON.stringify(parts(whole)))
      return t.strictSame(parts(short), parts(whole), message);
    const instructions = ({ request, uses }: Checked) =>
      shownParts(request.questions[0]?.instructions ?? '', uses.questions[0]?.instructions ?? []);
    const [one, other] = [short, whole].map((checked) => JSON.stringify(instructions(checked)));
    const text = short.request.questions[0]?.instructions ?? '';
    if (one !== other) {
      cut += 1;
      if (Buffer.byteLength(text) <= bytes) return t.equal(one, other, message);
    }
  }
  t.ok(cut > 0);
  t.end();
});

test('of a text of any length, little more than a prompt can have is indented', (t) => {
  const bytes = 1_000;
  // A line end within JSON becomes six characters, each of two units at most.
  const limit = 20 * bytes;
  const length = 100_000;
  const deep = Array.from({ length: 40 }).reduce<unknown>((inner) => [inner], Array(length).fill(1));
  for (const [what, part] of [
    ['line ends', { type: 'input_text', text: '\n'.repeat(length) }],
    ['line ends of two characters', { type: 'input_text', text: '\r\n'.repeat(length) }],
    ['JSON', { type: 'input_json', data: { deep } }],
    ['line ends in JSON', { type: 'input_json', data: { text: '\u2028'.repeat(length) } }],
  ] as const) {
    const { request } = read([user([part, part]), user([part])], [part], bytes);
    const state = request.state.kind === 'text' ? request.state.value : '';
    t.ok(state.length > bytes && state.length < limit, what);
    const instructions = request.questions[0]?.instructions ?? '';
    if (part.type === 'input_json') t.ok(instructions.length < limit, `${what}, in instructions`);
  }
  t.end();
});
