import { test } from 'tap';
import type { SentRequest } from '../../src/decide/index.js';
import { TRANSPORTS } from '../support/http/serving.js';
import { startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

/** Their waves take much longer than the others are waited for. */
const REQUESTS = 24;
const QUESTIONS = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`q${at}`, { type: 'noul' }]));
const STOPPING = { type: 'model_unavailable', message: 'The server is stopping.' };

for (const transport of TRANSPORTS) {
  test(`requests in flight when http.drain_ms ends are answered 503 with the reason (${transport})`, async (t) => {
    const server = await startTestServer(t, {
      DECIDER_HTTP_DRAIN_MS: '0',
      DECIDER_HTTP_TRANSPORT: transport,
    });
    const { current } = server.engines;
    const engine = current.engine('tiny-20260101');
    if (engine === undefined) throw new Error('the model is not loaded');
    let answered = 0;
    const answers = Array.from({ length: REQUESTS }, async (_, at) => {
      const response = await server.decide({ state: `${at} ${'word '.repeat(2_000)}`, questions: QUESTIONS });
      answered += 1;
      return {
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
        json: await response.json(),
      };
    });
    await until(() => {
      const running = engine.lanes.reduce((sum, { plans }) => sum + plans, 0);
      return engine.waiting('live') > 0 && engine.waiting('live') + running + answered === REQUESTS;
    });
    await server.stop();
    const errors = server.lines.filter((line) => JSON.parse(line).level === 'error');
    t.strictSame(errors, [], 'that the waves were aborted is no failure');
    const refused = (await Promise.all(answers)).filter(({ status }) => status !== 200);
    t.ok(refused.length > 0);
    for (const answer of refused)
      t.match(answer, {
        status: 503,
        retryAfter: '5',
        json: { type: STOPPING.type, error: STOPPING.message },
      });
    const sent = { body: Buffer.from('{}'), content: { encoding: 'identity' } } as unknown as SentRequest;
    await t.rejects(
      current.prepare(sent, { workspace: 'w', key: 'k' }),
      STOPPING as never,
      'as what was not prepared yet',
    );
  });
}
