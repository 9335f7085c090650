import assert from 'node:assert/strict';
import { test } from 'tap';
import { Compile } from 'typebox/schema';
import { ApiError, openAiStatus } from '../../../src/api/index.js';
import { DECISIONS_EXAMPLE, DecisionsBody } from '../../../src/openapi/index.js';
import { check, image, PNG_URL } from '../../support/decide/decisions.js';
import { mutateBytes, mutateValue } from '../../support/decide/mutations.js';
import { random, seedFromEnvironment } from '../../support/random.js';
import { scaled } from '../../support/scale.js';

const schema = Compile(DecisionsBody);

/** A body that uses every field. */
function fullBody(): Record<string, unknown> {
  const text = (value: string) => ({ type: 'input_text', text: value });
  return {
    model: 'known',
    input: [
      {
        role: 'user',
        content: [text('a'), image(PNG_URL, { detail: 'low' }), { type: 'input_json', data: { a: 1 } }],
      },
      { type: 'message', role: 'system', content: [text('b')] },
      {
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'c' },
          { type: 'refusal', refusal: 'd' },
        ],
      },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', namespace: 'n' },
      { type: 'function_call_output', call_id: 'c', output: [text('x')] },
      { type: 'custom_tool_call', call_id: 'd', name: 'g', input: '' },
      { type: 'custom_tool_call_output', call_id: 'd', output: 'x' },
    ],
    questions: [
      { type: 'predicate', name: 'p', instructions: [text('Is it?')] },
      { type: 'choice', instructions: null, choices: [{ value: true }, { value: 'b', description: 'x' }] },
      { type: 'score', instructions: 'How?', levels: [{ label: 'a' }, { label: 'b', description: null }] },
    ],
    prompt_cache_key: 'k',
    safety_identifier: null,
  };
}

function outcomeOf(body: Buffer): ApiError | null {
  try {
    check(body);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** What a schema cannot say: a call that is not there, a value twice, what an URL holds. */
const beyondSchema = ({ message, type }: ApiError) =>
  /earlier/.test(message) || ['remote_image', 'invalid_image', 'unsupported_image_format'].includes(type);

test('reader and schema accept a body with every field, and the example', async (t) => {
  for (const body of [fullBody(), DECISIONS_EXAMPLE]) {
    t.strictSame(schema.Errors(body)[1], []);
    t.equal(outcomeOf(Buffer.from(JSON.stringify(body))), null);
  }
});

test('reader and schema agree on bodies with mutated values', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const source = random(seed);
  const counts = { accepted: 0, refused: 0, beyond: 0 };
  for (let left = scaled({ short: 1_500, long: 30_000 }); left > 0; left -= 1) {
    const value = fullBody();
    mutateValue(source, value);
    if (source.integer(2) === 0 && Object.keys(value).length > 0) mutateValue(source, value);
    const body = JSON.stringify(value);
    const refused = outcomeOf(Buffer.from(body));
    if (refused !== null && beyondSchema(refused)) {
      counts.beyond += 1;
      continue;
    }
    counts[refused === null ? 'accepted' : 'refused'] += 1;
    assert.equal(schema.Check(JSON.parse(body)), refused === null, `${refused?.message} ${body}`);
  }
  t.comment(JSON.stringify(counts));
  t.ok(counts.accepted > 100 && counts.refused > 100, 'both outcomes are common');
});

test('bodies with mutated bytes are read, or refused by a 4xx without text of the caller', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const source = random(seed);
  for (let left = scaled({ short: 500, long: 5_000 }); left > 0; left -= 1) {
    let body: Buffer = Buffer.from(JSON.stringify(fullBody()));
    for (let more = source.integer(3); more >= 0 && body.length > 0; more -= 1)
      body = mutateBytes(source, body);
    const refused = outcomeOf(body);
    if (refused === null) continue;
    assert.ok(openAiStatus(refused.type) >= 400 && openAiStatus(refused.type) < 500, refused.type);
    assert.doesNotMatch(refused.message, /\p{Cc}/u);
    assert.match(refused.param ?? '', /^$|^[a-z_]+(?:\[\d+\]|\.[a-z_]+)*$/);
  }
  t.pass('all bodies');
});
