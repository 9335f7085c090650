import { test } from 'tap';
import { ERRORS, type ErrorType } from '../../src/api/index.js';
import { fullBody, mutateBytes, mutateValue } from '../support/decide/mutations.js';
import { TRANSPORTS } from '../support/http/serving.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { startTestServer } from '../support/server.js';

const REFUSED = scaled({ short: 200, long: 500 });

for (const transport of TRANSPORTS) {
  test(`malformed bodies: each is refused with a 4xx type of the table, and the server continues (${transport})`, async (t) => {
    const { ask, decide } = await startTestServer(t, { DECIDER_HTTP_TRANSPORT: transport });
    const seed = seedFromEnvironment();
    t.comment(`TEST_SEED=${seed}`);
    const next = random(seed);
    const found = new Map<string, number>();
    let refused = 0;
    const one = async () => {
      const value = { ...fullBody(), model: 'tiny', assets: undefined };
      mutateValue(next, value);
      const text = Buffer.from(JSON.stringify(value));
      const body = next.integer(2) === 0 ? text : mutateBytes(next, text);
      const response = await decide(body);
      const answer = (await response.json()) as { type?: ErrorType };
      const kind = response.status === 200 ? 'answered' : `${answer.type}`;
      found.set(kind, (found.get(kind) ?? 0) + 1);
      if (response.status === 200) return;
      refused += 1;
      const expected = ERRORS[answer.type as ErrorType]?.status;
      if (response.status !== expected || expected >= 500) {
        t.fail(`${response.status} ${JSON.stringify(answer)} for ${body.toString('base64')}`);
      }
    };
    while (refused < REFUSED) await Promise.all(Array.from({ length: 20 }, one));
    t.comment(JSON.stringify(Object.fromEntries(found)));
    t.ok(found.size >= 6, 'the mutations reach many kinds of refusal');
    const good = await ask({ state: 'x', questions: { a: { type: 'noul' } } });
    t.match(good, { answers: { a: { type: 'noul' } } });
  });
}
