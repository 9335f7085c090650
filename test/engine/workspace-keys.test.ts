import { test } from 'tap';
import { type EngineOptions, EXACT, imageTokens, type Plan, type Sharing } from '../../src/engine/index.js';
import { tokensOf } from '../support/cache.js';
import { COLD, planOf } from '../support/engine.js';
import { fakeEngine, markedPlan } from '../support/fake-engine.js';

const HEAD = Int32Array.of(1_000, 1_001, 1_002, 1_003);
const WARM: Sharing = { ...COLD, head: HEAD, idleCellsMax: 4_000 };
const SIDE = 48;
const SIZES = { side: SIDE, width: 1, encodeTokensPerToken: 1 };

const turn = () => new Promise((resolve) => setImmediate(resolve));
const callerOf = (workspace: string) => ({ signal: new AbortController().signal, workspace });

/** An engine, and what its waves compute for plans that are run one after another, each for a workspace. */
function open(options: Partial<EngineOptions>) {
  const { engine, thread } = fakeEngine(options);
  const answer = async (plan: Plan, workspace: string) => {
    const before = thread.waves.length;
    const answered = engine.run(plan, callerOf(workspace));
    while (thread.waves.length > before) {
      const waves = thread.waves.length;
      thread.waves.at(-1)?.resolve();
      await turn();
      if (thread.waves.length === waves) break;
    }
    const tasks = thread.waves.slice(before).map(({ task }) => task);
    return {
      computed: tasks.reduce((sum, task) => sum + tokensOf(task), 0),
      encoded: tasks.flatMap(({ images }) => images).filter(({ pixels }) => pixels !== null).length,
      cachedTokens: (await answered).cachedTokens,
    };
  };
  return { engine, thread, answer };
}

test('a prefix that is kept is used by plans of its workspace only; the head by all', async (t) => {
  const { answer } = open({ sharing: WARM });
  // The prefix of 20 tokens begins with the head; its suffix has 2 tokens.
  const plan = markedPlan(1, 20);
  t.strictSame(await answer(plan, 'ws_a'), { computed: 22, encoded: 0, cachedTokens: 0 });
  // The first repeat shows that keeping prefixes pays off.
  t.match(await answer(plan, 'ws_a'), { computed: 18 });
  t.strictSame(await answer(plan, 'ws_a'), { computed: 2, encoded: 0, cachedTokens: 20 });
  t.strictSame(await answer(plan, 'ws_b'), { computed: 18, encoded: 0, cachedTokens: 4 }, 'as a new one');
  t.strictSame(await answer(plan, 'ws_b'), { computed: 2, encoded: 0, cachedTokens: 20 }, 'now its own');
  t.strictSame(await answer(plan, 'ws_a'), { computed: 2, encoded: 0, cachedTokens: 20 });
});

test('equal plans in one wave are computed once for each workspace', async (t) => {
  const { engine, thread } = fakeEngine({ sharing: COLD });
  const runs = [engine.run(markedPlan(9), callerOf('ws_c'))];
  for (const workspace of ['ws_a', 'ws_a', 'ws_b', 'ws_b']) {
    runs.push(engine.run(markedPlan(1, 20), callerOf(workspace)));
  }
  thread.waves[0]?.resolve();
  await turn();
  const wave = thread.waves[1];
  t.equal(wave === undefined ? 0 : tokensOf(wave.task), 2 * 22);
  wave?.resolve();
  const [, ...answers] = await Promise.all(runs);
  t.strictSame(new Set(answers.map(({ logits }) => logits[0]?.[0])), new Set([1]));
});

test('a prefix computed in part goes on for its workspace only', async (t) => {
  const { engine, thread } = fakeEngine({ sharing: COLD });
  const long = markedPlan(1, 5_000);
  const runs = ['ws_a', 'ws_b', 'ws_a'].map((workspace) => engine.run(long, callerOf(workspace)));
  for (let wave = 0; wave < thread.waves.length; wave++) {
    thread.waves[wave]?.resolve();
    await turn();
  }
  await Promise.all(runs);
  t.equal(
    thread.waves.reduce((sum, { task }) => sum + tokensOf(task), 0),
    2 * 5_002,
  );
});

for (const [mode, sharing] of [
  ['in exact mode', EXACT],
  ['otherwise', WARM],
] as const) {
  test(`an image is encoded once for each workspace, ${mode}`, async (t) => {
    const { answer } = open({ sharing, images: SIZES });
    const image = { width: 4 * SIDE, height: 4 * SIDE, rgb: new Uint8Array(0), key: 'pixels' };
    const write = imageTokens({ begin: 1, end: 2 }, [16]);
    const about = (mark: number) =>
      planOf(
        Int32Array.of(mark, ...write(0)),
        [{ tokens: Int32Array.of(mark), options: Int32Array.of(0) }],
        [image],
      );
    const encoded = [];
    // Each asks about another text: no prefix is kept.
    for (const [mark, workspace] of ['ws_a', 'ws_a', 'ws_b', 'ws_b', 'ws_a'].entries()) {
      encoded.push((await answer(about(mark + 10), workspace)).encoded);
    }
    t.strictSame(encoded, [1, 0, 1, 0, 0]);
  });
}
