import { test } from 'tap';
import { NO_DIAGNOSTICS } from '../../src/decide/diagnostics.js';
import {
  type DecideDependencies,
  decide,
  type PrepareResult,
  type SentRequest,
  type Settlement,
} from '../../src/decide/index.js';
import { NOUL } from '../support/decide/questions.js';
import { fakeClock } from '../support/fake-clock.js';
import { markedPlan } from '../support/fake-engine.js';

const SENT: SentRequest = {
  body: new Uint8Array(),
  content: { encoding: 'identity', media: { kind: 'json' } },
  model: null,
  format: 'decide',
  allowedModels: null,
};
const PREPARED: PrepareResult = {
  ok: true,
  build: 'm-20260101',
  calibration: 'c',
  questions: [NOUL],
  plan: markedPlan(1),
  temperatures: [1],
  orders: [1],
  diagnostics: NO_DIAGNOSTICS,
  texts: { hits: 0, misses: 0 },
  inputTokens: 5,
};

/** Decides with a reservation, and tells what happened in which order. */
function deciding(
  reserve: (settlement: Settlement) => ReturnType<DecideDependencies['reserve']>,
  run: () => Promise<void> = async () => {},
) {
  const told: string[] = [];
  const settlement: Settlement = {
    post: ({ build }) => told.push(`post ${build}`),
    release: () => told.push('release'),
  };
  const engine = {
    async run() {
      told.push('run');
      await run();
      return { logits: [Float32Array.of(1, 0)], queueMs: 0, computeMs: 0, isShared: false, cachedTokens: 0 };
    },
  };
  const dependencies: DecideDependencies = {
    clock: fakeClock(),
    prepare: async () => PREPARED,
    engine: () => engine,
    reserve: () => reserve(settlement),
  };
  return {
    told,
    decided: decide(SENT, dependencies, { signal: new AbortController().signal, urgency: 'live' }),
  };
}

test('a reservation that is there is used in the same turn', async (t) => {
  const { told, decided } = deciding((settlement) => {
    queueMicrotask(() => told.push('next'));
    return settlement;
  });
  await decided;
  t.strictSame(told, ['run', 'next', 'post m-20260101']);
});

test('the engine runs after a reservation that has to be waited for', async (t) => {
  let grant = (_: Settlement) => {};
  let made: Settlement | null = null;
  const { told, decided } = deciding((settlement) => {
    made = settlement;
    return new Promise((resolve) => {
      grant = resolve;
    });
  });
  await new Promise(setImmediate);
  t.strictSame(told, []);
  grant(made as unknown as Settlement);
  await decided;
  t.strictSame(told, ['run', 'post m-20260101']);
});

test('a reservation that is refused ends the request, and one without an answer is released', async (t) => {
  const refused = deciding(() => Promise.reject(new Error('refused')));
  await t.rejects(refused.decided, { message: 'refused' });
  t.strictSame(refused.told, []);
  const failed = deciding(
    async (settlement) => settlement,
    () => Promise.reject(new Error('failed')),
  );
  await t.rejects(failed.decided, { message: 'failed' });
  t.strictSame(failed.told, ['run', 'release']);
});
