import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';
import { answerAll, FORMS, openContext, openTiny, planOf } from '../support/engine.js';
import { random, seedFromEnvironment } from '../support/random.js';

// Plain JavaScript that is not compiled: it lies beside the source.
const PEER = fileURLToPath(new URL('../../../test/support/peer.mjs', import.meta.url));

test('logits equal those of node-llama-cpp on the full prompts, within 1e-3, in both forms', async (t) => {
  const model = openTiny(t.testdir());
  const context = openContext(model);
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const tokens = (count: number) => Int32Array.from({ length: count }, () => 300 + next.integer(1_500));
  // At least 64 tokens a prompt: see the peer.
  const plans = [1, 40, 300, 900, 3_000].map((length) =>
    planOf(
      tokens(length),
      [3, 26].map((options) => ({
        tokens: tokens(64 + next.integer(60)),
        options: model.profile.labels.slice(0, options),
      })),
    ),
  );
  const prompts = plans.flatMap(({ prefix, suffixes }) =>
    suffixes.map((suffix) => ({ tokens: [...prefix, ...suffix.tokens], options: [...suffix.options] })),
  );
  const peer = spawnSync(process.execPath, [PEER], {
    input: JSON.stringify({ model: model.build.path, prompts }),
    encoding: 'utf8',
  });
  t.equal(peer.status, 0, peer.stderr);
  const expected = (JSON.parse(peer.stdout) as number[][]).map((logits) => Float32Array.from(logits));
  for (const [form, sharing] of Object.entries(FORMS)) {
    const found = plans.flatMap((plan) => [...(answerAll(context, [plan], sharing)[0] ?? [])]);
    const worst = Math.max(
      ...expected.flatMap((logits, prompt) =>
        [...logits].map((logit, option) => Math.abs(logit - (found[prompt]?.[option] as number))),
      ),
    );
    t.ok(worst <= 1e-3, `${form}: largest difference ${worst.toExponential(1)}`);
  }
  context.close();
});
