import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend } from '#native/platform.mjs';
import { type TinyModelOptions, writeTinyModel } from '../models/tiny/index.js';
import { usableCores } from '../src/base/index.js';
import {
  loadAddon,
  openModel,
  type Plan,
  type PlanLogits,
  type Sharing,
  type WaveBounds,
} from '../src/engine/index.js';
import { ContextState } from '../src/engine/scheduler/context-state.js';
import { noEmbeddings } from '../src/engine/scheduler/embeddings.js';
import type { IdleBudget } from '../src/engine/scheduler/idle-budget.js';
import type { Entry } from '../src/engine/scheduler/scheduler-types.js';
import { runTogether } from '../src/engine/scheduler/step.js';
import { runWave } from '../src/engine/wave/run-wave.js';
import { contextOptions } from '../src/engine/wave/wave-types.js';

/** The bounds of a server on a CPU. */
export const CPU_BOUNDS: WaveBounds = {
  cells: 8_192,
  waveTokens: 512,
  microBatchTokens: 512,
  microBatchTokensMin: 64,
  sequences: 64,
};

/** One context on this thread, driven by the engine's scheduler: the cost of waves without messages between threads. */
export interface InProcess {
  /** Threads of the context. */
  readonly threads: number;
  readonly summary: string;
  readonly labels: Int32Array;
  /** The tokens that every prompt begins with. */
  readonly head: Int32Array;
  /** An empty context. */
  newState(sharing: Sharing, budget?: IdleBudget): ContextState<Entry>;
  /** Answers plans that are queued together; returns milliseconds. */
  time(plans: readonly Plan[], state: ContextState<Entry>): number;
  /** The logits of plans that are queued together. */
  answer(plans: readonly Plan[], state: ContextState<Entry>): PlanLogits[];
  close(): void;
}

/** Opens a GGUF, or a generated model if `file` is undefined. */
export function openInProcess(
  file: string | undefined,
  generated: TinyModelOptions,
  bounds: WaveBounds,
  place: { readonly backend: Backend; readonly device: string } = { backend: 'cpu', device: '' },
): InProcess {
  const folder = mkdtempSync(join(tmpdir(), 'decider-bench-'));
  const path = file ?? join(folder, 'bench.gguf');
  if (file === undefined) writeTinyModel(path, generated);
  const threads = Math.max(1, usableCores() - 1);
  const { addon } = loadAddon(place.backend);
  const model = openModel(addon, place.device, {
    id: 'bench',
    path,
    sha256: '',
    parts: [],
    temperatures: {},
    calibration: '',
    projector: null,
    model: {
      id: 'bench',
      description: '',
      release_date: null,
      builds: [],
      reads_images: false,
      price_class: '',
    },
  });
  const context = addon.createContext(model.handle, contextOptions(bounds, threads));
  const cancel = new Int32Array(new SharedArrayBuffer(4));
  const answer: InProcess['answer'] = (plans, state) =>
    runTogether(plans, state, (task) => runWave(context, task, bounds, cancel));
  return {
    threads,
    summary: model.description.summary,
    labels: model.profile.labels,
    head: model.profile.head(),
    newState(sharing, budget) {
      context.clear();
      return new ContextState(bounds, sharing, noEmbeddings(), budget);
    },
    time(plans, state) {
      const start = performance.now();
      answer(plans, state);
      return performance.now() - start;
    },
    answer,
    close() {
      context.close();
      addon.closeModel(model.handle);
      rmSync(folder, { recursive: true });
    },
  };
}
