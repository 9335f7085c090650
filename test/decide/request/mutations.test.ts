import assert from 'node:assert/strict';
import { test } from 'tap';
import { Compile } from 'typebox/schema';
import { ApiError } from '../../../src/api/index.js';
import type { DecideRequest } from '../../../src/decide/decide-types.js';
import type { ReadOptions } from '../../../src/decide/request/read-request.js';
import { stateText } from '../../../src/decide/request/state-text.js';
import { DecideBody, SystemoneBody } from '../../../src/openapi/index.js';
import { OPTIONS, read } from '../../support/decide/bodies.js';
import { fullBody, mutateBytes, mutateValue } from '../../support/decide/mutations.js';
import { random, seedFromEnvironment } from '../../support/random.js';
import { scaled } from '../../support/scale.js';

const schema = Compile(DecideBody);

/** What the reader makes of a body: a request or its refusal. Any other exception is thrown on. */
function outcomeOf(body: Buffer, options: ReadOptions): DecideRequest | ApiError {
  try {
    return read(body, options);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** What a schema cannot say: a model not known, a name or label twice. */
function beyondSchema(error: ApiError): boolean {
  return error.type === 'model_not_found' || error.message.endsWith('twice.');
}

test('the whole body that mutations start from is accepted, by reader and schema', async (t) => {
  t.equal(schema.Check(fullBody()), true);
  t.equal(read(JSON.stringify(fullBody())).questions.length, 5);
});

for (const [path, schema, options] of [
  ['/v1/decide', Compile(DecideBody), OPTIONS],
  ['/v1/systemone', Compile(SystemoneBody), { ...OPTIONS, format: 'systemone' }],
] as const) {
  test(`schema and reader agree on 5,000 bodies with mutated values (${path})`, async (t) => {
    const seed = seedFromEnvironment();
    t.comment(`TEST_SEED=${seed}`);
    const source = random(seed);
    const counts = { accepted: 0, refused: 0, beyond: 0 };
    for (let count = 0; count < scaled({ short: 1_000, long: 5_000 }); count += 1) {
      const value = fullBody();
      mutateValue(source, value);
      if (source.integer(2) === 0 && Object.keys(value).length > 0) mutateValue(source, value);
      const body = JSON.stringify(value);
      const outcome = outcomeOf(Buffer.from(body), options);
      if (outcome instanceof ApiError && beyondSchema(outcome)) {
        counts.beyond += 1;
        continue;
      }
      const accepted = !(outcome instanceof ApiError);
      counts[accepted ? 'accepted' : 'refused'] += 1;
      assert.equal(schema.Check(JSON.parse(body)), accepted, body);
    }
    t.comment(JSON.stringify(counts));
    t.ok(counts.accepted > 100 && counts.refused > 100, 'both outcomes are common');
  });
}

test('2,000 bodies with mutated bytes are read, or refused by a 4xx type of the table', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const source = random(seed);
  for (let count = 0; count < scaled({ short: 500, long: 2_000 }); count += 1) {
    let body: Buffer = Buffer.from(JSON.stringify(fullBody()));
    for (let left = source.integer(3); left >= 0 && body.length > 0; left -= 1) {
      body = mutateBytes(source, body);
    }
    const outcome = outcomeOf(body, OPTIONS);
    if (outcome instanceof ApiError) {
      assert.ok(outcome.status >= 400 && outcome.status < 500, outcome.type);
      assert.doesNotMatch(outcome.message, /\p{Cc}/u);
    } else {
      assert.ok(schema.Check(JSON.parse(body.toString())), body.toString());
      assert.equal(Buffer.from(stateText(outcome.state)).toString(), stateText(outcome.state));
    }
  }
  t.pass('2,000 bodies');
});

test('the schema looks at names that hold a newline, and at the empty name', async (t) => {
  for (const name of ['a\nb', '', '__proto__']) {
    const body = `{"state":"s","questions":{${JSON.stringify(name)}:{"type":"x"}}}`;
    t.equal(schema.Check(JSON.parse(body)), false, JSON.stringify(name));
  }
});
