import type { Caller } from '../../src/access/index.js';
import type { Decision, SentRequest } from '../../src/decide/index.js';
import type { EngineAnswer, RunOptions } from '../../src/engine/index.js';
import type { Engines } from '../../src/server/engines.js';
import { type BothDecisions, ShadowRuns } from '../../src/server/shadows/shadow-runs.js';
import type { Task } from '../../src/tasks/index.js';
import { Metrics } from '../../src/telemetry/index.js';
import { fakeClock } from './fake-clock.js';

export const SHADOWED: Task = {
  id: 'task_1',
  workspace: 'w',
  name: 'a',
  created: 0,
  changed: 0,
  version: 1,
  bytes: 1,
  model: null,
  description: null,
  targetError: 0.05,
  confidence: 0.95,
  shadow: { model: 'other', share: 1 },
  fits: [],
};

const QUESTION = {
  name: 'q',
  type: 'noul',
  instructions: null,
  options: [
    { key: 'true', name: 'Yes', description: null },
    { key: 'false', name: 'No', description: null },
  ],
} as const;

/** The decision of a build. `p`: the probability of `true`. */
export const decisionOf = (build: string, p = 0.75): Decision => ({
  json: '{}',
  build,
  calibration: 'c',
  probabilities: [Float64Array.of(p, 1 - p)],
  usage: { inputTokens: 1, outputTokens: 1 },
  timing: { prepare: 0, queue: 0, engine: 0 },
  begun: { prepare: 0, queue: 0 },
  isShared: false,
});

/** Resolves when all promises that can settle without time have settled. */
export async function settled(): Promise<void> {
  for (let at = 0; at < 50; at += 1) await Promise.resolve();
}

/** `ShadowRuns` with a live build `m-1` and a shadow build `n-1`, whose engine answers when the test says so. */
export function shadowWorld(random: () => number = () => 0) {
  const clock = fakeClock();
  const metrics = new Metrics();
  const compared: Array<{ readonly reference: string; readonly decisions: BothDecisions }> = [];
  const errors: unknown[] = [];
  /** Plans that the shadow's engine has, oldest first. */
  const running: Array<{ readonly options: RunOptions; answer(): void; fail(error: unknown): void }> = [];
  /** What was prepared for the shadow build. */
  const prepared: SentRequest[] = [];
  const world = {
    /** Live plans that wait. */
    liveWaiting: 0,
    wantsBatch: true,
    builds: new Map([
      [null as string | null, 'm-1'],
      ['m', 'm-1'],
      ['other', 'n-1'],
    ]),
    refusal: null as null | 'model_not_allowed',
  };
  const engine = {
    get wantsBatch() {
      return world.wantsBatch;
    },
    waiting: () => world.liveWaiting,
    run: (_: unknown, options: RunOptions) =>
      new Promise<EngineAnswer>((resolve, reject) => {
        options.signal.addEventListener('abort', () => reject(options.signal.reason));
        const logits = [Float32Array.of(1, 0)];
        running.push({
          options,
          answer: () => resolve({ logits, queueMs: 0, computeMs: 0, isShared: false, cachedTokens: 0 }),
          fail: reject,
        });
      }),
  };
  const set = {
    catalog: {
      find: (name: string | null) => {
        const id = world.builds.get(name) ?? [...world.builds.values()].find((build) => build === name);
        return id === undefined ? undefined : { id, model: { id: id.replace(/-\d$/, '') } };
      },
      builds: [{ id: 'm-1' }, { id: 'n-1' }],
    },
    use: <Result>(work: () => Promise<Result>) => work(),
    prepareLine: async (sent: SentRequest) => {
      prepared.push(sent);
      if (world.refusal !== null) return { ok: false, type: world.refusal, message: 'No.', param: null };
      const diagnostics = { rawProbabilities: false, labelMass: false, optionRotations: 1 };
      const plan = { prefix: [], suffixes: [], images: [] };
      const facts = { temperatures: [1], orders: [1], inputTokens: 1, texts: { hits: 0, misses: 0 } };
      return {
        ok: true,
        calibration: 'c',
        build: sent.task?.model,
        questions: [QUESTION],
        diagnostics,
        plan,
        ...facts,
      };
    },
  };
  const runs = new ShadowRuns({
    engines: { current: set, get: () => engine } as unknown as Engines,
    clock,
    log: { error: (fields: object) => errors.push((fields as { err: unknown }).err) },
    metrics,
    random,
    compare: (_, reference, decisions) => compared.push({ reference, decisions }),
  });
  const ask = (
    reference = 'req_1',
    {
      body = Buffer.from('{}'),
      model = null as string | null,
      task = SHADOWED,
      key = 'k',
      workspace = 'w',
      answer = async () => decisionOf('m-1'),
    } = {},
  ) => {
    const caller = { key: { id: key }, workspace: { id: workspace, models: null } } as unknown as Caller;
    const content = { encoding: 'identity', media: { kind: 'json' } } as const;
    const request: SentRequest = { body, content, model, format: 'task', allowedModels: null };
    const asked = { name: 'a', version: 1, model: null, questions: '{}', fits: [] };
    return runs.beside({ caller, task, asked, request, reference }, answer);
  };
  /** Counts by event, as the metrics have them. */
  const events = async (): Promise<Record<string, number>> => {
    const text = await metrics.scrape();
    return Object.fromEntries(
      [...text.matchAll(/^decider_task_shadows_total\{event="(\w+)"\} (\d+)$/gm)].map(([, event, count]) => [
        event as string,
        Number(count),
      ]),
    );
  };
  return { clock, world, runs, ask, events, compared, errors, running, prepared };
}
