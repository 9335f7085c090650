// The only module of the benchmarks that depends on the engine's internal interfaces.
import { systemClock } from '../../src/base/index.js';
import { planRequest } from '../../src/decide/index.js';
import {
  type CatalogBuild,
  COUPLED_PRODUCT_MAX,
  Engine,
  EngineThread,
  loadAddon,
  type NativeContext,
  type OpenModel,
  openModel,
  type Plan,
  type WaveBounds,
} from '../../src/engine/index.js';
import { contextOptions } from '../../src/engine/wave/wave-types.js';
import { prepareEngine } from '../../src/server/index.js';
import { loadSettings, type Settings } from '../../src/settings/index.js';
import type { Case } from './cases.js';
import { Plain } from './plain.js';
import type { Asked } from './texts.js';

const DEADLINE_MS = 3_600_000;

/** The engine with one model and a server's default threads, contexts and bounds. */
export interface Ours {
  readonly model: OpenModel;
  readonly device: { readonly gpu: boolean; readonly name: string };
  readonly backend: string;
  readonly threads: number;
  readonly bounds: WaveBounds;
  /** Tokens of one plain decode. */
  readonly chunk: number;
  readonly plain: Plain;
  /** The tokens that the engine keeps in its cache from the start. */
  readonly head: Int32Array;
  plan(asked: Asked): Plan;
  /** Answers one request. */
  run(plan: Plan): Promise<unknown>;
  /** Answers requests, all at once or each after the one before. */
  runAll(plans: readonly Plan[], arrival: Case['arrival']): Promise<void>;
  /** A context like the engine's, for this thread. */
  openContext(): NativeContext;
  close(): Promise<void>;
}

/** The settings of a server in this environment, except those the benchmark chooses. */
export function settingsOf(backend: string, threads: number): Settings {
  const chosen = { DECIDER_ENGINE_BACKEND: backend, DECIDER_ENGINE_THREADS: String(threads) };
  return loadSettings({ ...process.env, ...chosen }, undefined);
}

/** The addon and the first device. */
export function deviceOf(settings: Settings) {
  return prepareEngine(settings.engine, console.log);
}

export async function openOurs(path: string, settings: Settings): Promise<Ours> {
  const { backend, addon, device, bounds, contexts, threads } = deviceOf(settings);
  const build = buildOf(path);
  const model = openModel(addon, device, build);
  const own = Array.from(
    { length: contexts },
    (_, at) => new EngineThread({ backend, device, build, bounds, threads, number: at + 1 }),
  );
  const [report] = await Promise.all(own.map((thread) => thread.ready()));
  const head = report?.head ?? new Int32Array(0);
  const engine = new Engine(own, {
    bounds,
    sharing: {
      head,
      idleCellsMax: settings.engine.idle_cells,
      exact: false,
      coupledProductMax: COUPLED_PRODUCT_MAX,
    },
    queueMax: settings.engine.queue,
    deadlineMs: DEADLINE_MS,
    clock: systemClock,
  });
  const plain = new Plain(addon, model.handle, bounds.microBatchTokens, bounds.cells, threads);
  const run = (plan: Plan) => engine.run(plan, { signal: new AbortController().signal });
  const name = loadAddon(backend).devices.find((one) => one.name === device)?.description ?? '';
  return {
    model,
    device: { gpu: device !== '', name },
    backend,
    threads,
    bounds,
    chunk: bounds.microBatchTokens,
    plain,
    head,
    plan: (asked) => planOf(asked, model),
    run,
    async runAll(plans, arrival) {
      if (arrival === 'together') await Promise.all(plans.map(run));
      else for (const plan of plans) await run(plan);
    },
    openContext: () => addon.createContext(model.handle, contextOptions(bounds, threads)),
    async close() {
      plain.close();
      await Promise.all(own.map((thread) => thread.close()));
      addon.closeModel(model.handle);
    },
  };
}

/** The plan that a preparing thread would make of the request. */
export function planOf(
  asked: Asked,
  model: Pick<OpenModel, 'tokenizer' | 'profile' | 'contextLength' | 'images'>,
): Plan {
  const questions = asked.questions.map(({ instructions, options }, index) => ({
    name: `question ${index}`,
    type: 'choice' as const,
    instructions,
    options: options.map((name) => ({ key: name, name, description: null })),
  }));
  const state = { kind: 'text' as const, value: asked.state };
  const request = { model: null, state, questions, imageBudget: 280 as const, assets: [] };
  return planRequest(request, model).plan;
}

/** A catalogue entry for a file without a manifest. */
export function buildOf(path: string): CatalogBuild {
  return {
    id: 'benchmark',
    path,
    sha256: '',
    parts: [],
    temperatures: {},
    calibration: '',
    projector: null,
    model: {
      id: 'benchmark',
      description: '',
      release_date: null,
      builds: [],
      reads_images: false,
      price_class: '',
    },
  };
}
