import { createHash } from 'node:crypto';
import { test } from 'tap';
import { softmax } from '../../src/base/index.js';
import { roundProbabilities, UNITS } from '../../src/decide/answers/probabilities.js';
import { NO_DIAGNOSTICS } from '../../src/decide/diagnostics.js';
import { type DecideDependencies, decide, type PrepareResult, planRequest } from '../../src/decide/index.js';
import { rotated } from '../../src/decide/rotations.js';
import type { Plan, Suffix } from '../../src/engine/index.js';
import { read } from '../support/decide/bodies.js';
import { openTiny } from '../support/engine.js';
import { fakeClock } from '../support/fake-clock.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';

const REQUESTS = scaled({ short: 60, long: 1_000 });
const TEMPERATURE = 1.5;

/** Logits that depend on the prompt and the label only, as those of exact arithmetic would. */
function logitsOf({ prefix }: Plan, { tokens, options }: Suffix): Float32Array {
  return Float32Array.from(options, (option) => {
    const digest = createHash('sha256').update(prefix).update(tokens).update(Int32Array.of(option)).digest();
    return digest.readUInt16BE() / 8_192;
  });
}

test('averages have the units of the mean of single requests with permuted options', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const model = openTiny(t.testdir(), {}, { profile: 'letters' });
  const answer = async (criteria: readonly string[], optionRotations: number) => {
    const request = read(JSON.stringify({ state: 's', questions: { c: { type: 'choice', criteria } } }));
    const diagnostics = { ...NO_DIAGNOSTICS, rawProbabilities: true, optionRotations };
    const planned = planRequest(request, model, undefined, diagnostics);
    const prepared: PrepareResult = {
      ok: true,
      build: 'm',
      calibration: 'c',
      questions: request.questions,
      diagnostics,
      texts: { hits: 0, misses: 0 },
      ...planned,
      temperatures: [TEMPERATURE],
    };
    const dependencies: DecideDependencies = {
      clock: fakeClock(),
      prepare: async () => prepared,
      engine: () => ({
        run: async (plan) => ({
          logits: plan.suffixes.map((suffix) => logitsOf(plan, suffix)),
          queueMs: 0,
          computeMs: 0,
          isShared: false,
          cachedTokens: 0,
        }),
      }),
      reserve: () => ({ post: () => {}, release: () => {} }),
    };
    const sent = {
      body: new Uint8Array(),
      content: { encoding: 'identity', media: { kind: 'json' } },
      model: null,
      format: 'decide',
      allowedModels: null,
    } as const;
    const { json, usage } = await decide(sent, dependencies, { signal: new AbortController().signal });
    return { ...JSON.parse(json).answers.c, usage, planned };
  };
  for (let round = 0; round < REQUESTS; round += 1) {
    const n = 2 + next.integer(25);
    const criteria = Array.from({ length: n }, (_, at) => `${next.integer(1_000)} ${at}`);
    const asked = 2 + next.integer(25);
    const count = Math.min(asked, n);
    const p = new Float64Array(n);
    let tokens = 0;
    for (let order = 0; order < count; order += 1) {
      const permuted = rotated(criteria, Math.floor((order * n) / count));
      const { planned } = await answer(permuted, 1);
      const { plan } = planned;
      const own = softmax(logitsOf(plan, plan.suffixes[0] as Suffix), TEMPERATURE);
      for (const [at, label] of permuted.entries())
        p[criteria.indexOf(label)]! += (own[at] as number) / count;
      tokens += planned.inputTokens - (order === 0 ? 0 : plan.prefix.length);
    }
    const found = await answer(criteria, asked);
    t.strictSame(
      criteria.map((label) => found.probabilities[label]),
      roundProbabilities(p).map((units) => units / UNITS),
    );
    t.ok(criteria.every((label, at) => Math.abs(found.raw_probabilities[label] - (p[at] as number)) < 1e-12));
    t.strictSame(found.usage, { inputTokens: tokens, outputTokens: 1 });
  }
});
