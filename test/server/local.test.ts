import { test } from 'tap';
import { ApiError } from '../../src/api/index.js';
import { NO_DIAGNOSTICS } from '../../src/decide/diagnostics.js';
import type { PrepareResult, SentRequest } from '../../src/decide/index.js';
import { NotComputed } from '../../src/engine/index.js';
import { decideLocally } from '../../src/server/local.js';
import { fakeClock } from '../support/fake-clock.js';

const NO_LANE = new ApiError('model_unavailable', 'No lane works.');

test('every attempt of a request that waits for a lane has its body', async (t) => {
  const clock = fakeClock();
  const text = JSON.stringify({ state: 'x'.repeat(100_000) });
  const bodies: string[] = [];
  /** As a queue of preparing threads: memory that is not shared is the thread's from then on. */
  const prepare = async (sent: SentRequest): Promise<PrepareResult> => {
    const { buffer } = sent.body;
    const { body } = structuredClone(sent, { transfer: buffer instanceof ArrayBuffer ? [buffer] : [] });
    bodies.push(Buffer.from(body).toString());
    if (bodies.length < 3) throw new NotComputed(NO_LANE, false);
    return { ok: false, type: 'invalid_question', message: 'the third attempt', param: null };
  };
  const request = {
    body: new TextEncoder().encode(text),
    content: { encoding: 'identity', media: { kind: 'json' } },
    model: null,
    format: 'decide',
    allowedModels: null,
    diagnostics: NO_DIAGNOSTICS,
  } as const;
  const answer = decideLocally(request, new AbortController().signal, {
    clock,
    prepare,
    engine: () => undefined,
    beforeWait: () => setImmediate(() => clock.advance(10_000)),
  });
  await t.rejects(answer, { message: 'the third attempt' });
  t.strictSame(bodies, [text, text, text]);
});
