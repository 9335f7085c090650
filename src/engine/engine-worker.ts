// The entry of an engine thread: one llama.cpp context, one wave at a time.
import { parentPort, workerData } from 'node:worker_threads';
import type { Backend } from '#native/platform.mjs';
import type { NativeContext } from './addon/addon-types.js';
import { loadAddon } from './addon/load-addon.js';
import { answerAlone } from './check/ask-once.js';
import { requireFirstAnswer } from './check/compare-first.js';
import { firstPlan } from './check/first-plans.js';
import type { CatalogBuild } from './models/catalog.js';
import { ModelError } from './models/manifest.js';
import { openModel } from './models/model.js';
import { type ImageReading, openProjector } from './models/projector.js';
import type { VerifiedProfile } from './profile/verified-profile.js';
import type { EmbeddingSizes } from './scheduler/embeddings.js';
import { NO_ENCODER, runServedWave, runWave } from './wave/run-wave.js';
import type { WaveResult, WaveTask } from './wave/task.js';
import { warmUpWaves } from './wave/warm-up.js';
import { contextOptions, planCells, type WaveBounds } from './wave/wave-types.js';

/** The `workerData` of the thread. */
export interface WorkerSetup {
  readonly backend: Backend;
  /** The device that holds the weights; '' for the CPU. */
  readonly device: string;
  readonly build: CatalogBuild;
  /** How the build reads images; undefined: read it from the projector's file. */
  readonly images?: ImageReading | null | undefined;
  /** What another profile of the build found; undefined: verify it here. */
  readonly verified?: VerifiedProfile | undefined;
  /** What the check computed for the first question; undefined: this thread does not ask it. */
  readonly firstLogits?: readonly number[] | undefined;
  readonly bounds: WaveBounds;
  readonly threads: number;
  /** Number of this thread, for `Addon.numberThread`. */
  readonly number: number;
  /** One word of shared memory; non-zero aborts loading, or the wave in progress. */
  readonly cancel: Int32Array;
}

/** Posted while the weights load: the fraction loaded, 0 to 1. */
export interface LoadProgress {
  readonly loaded: number;
}

/** What a thread reports once its context has computed its first waves. */
export interface ThreadReport {
  /** Tokens that every prompt begins with. */
  readonly head: Int32Array;
  /** How the model reads images; null: it does not. */
  readonly images: EmbeddingSizes | null;
}

const setup = workerData as WorkerSetup;
const { addon } = loadAddon(setup.backend);
addon.numberThread(setup.number);
const model = openModel(addon, setup.device, setup.build, {
  images: setup.images,
  verified: setup.verified,
  onProgress: (loaded) => {
    parentPort?.postMessage({ loaded } satisfies LoadProgress);
    return Atomics.load(setup.cancel, 0) === 0;
  },
});
const encoder = openEncoder();
/** Null after a decode has failed: `ready` makes another one. */
let context: NativeContext | null = newContext();
let isWarm = false;

function newContext(): NativeContext {
  return addon.createContext(model.handle, contextOptions(setup.bounds, setup.threads));
}

/**
 * Runs one wave. Throws the addon's errors, and an Error if logits are not numbers; the context is then empty. If a decode
 * has failed, `ready` must be called before the next wave.
 */
export function wave(task: WaveTask): WaveResult {
  if (context === null)
    throw new Error('the context has failed, and the thread was not asked for another one');
  try {
    return runServedWave(context, task, setup.bounds, setup.cancel, encoder);
  } catch (error) {
    closeAfter(error);
    throw error;
  }
}

/** Computes the first waves of each context, once. The pool calls it before it runs a wave of a client. */
export function ready(): ThreadReport {
  if (context === null) {
    context = newContext();
    isWarm = false;
  }
  if (!isWarm) warmUp(context);
  isWarm = true;
  return { head: model.profile.head(), images: model.images };
}

/** Closes the context if this is the error of a decode that failed: a GPU may compute nothing more on it. */
function closeAfter(error: unknown): void {
  if ((error as { code?: unknown }).code !== 'decode_failed') return;
  context?.close();
  context = null;
}

function warmUp(context: NativeContext): void {
  const { bounds, device, cancel, build, firstLogits } = setup;
  const { vocabularySize } = model.description;
  // On a CPU, the first question is as good a first wave as any.
  const isAsked = firstLogits !== undefined && planCells(firstPlan(model)) <= bounds.cells;
  const waves =
    isAsked && device === '' ? [] : warmUpWaves({ bounds, device, vocabularySize, images: model.images });
  try {
    for (const task of waves) runWave(context, task, bounds, cancel, encoder);
    // Tokens in an order that no text has may lead to anything.
    if (device !== '') context.erase();
    if (isAsked) askFirst(firstLogits);
  } catch (error) {
    closeAfter(error);
    throw new ModelError(`${build.path}: its first waves failed: ${(error as Error).message}`);
  }
  context.clear();
}

/** Compares the answer of this context with that of the check. */
function askFirst(expected: readonly number[]): void {
  const [logits] = answerAlone(firstPlan(model), model, setup.bounds, wave);
  requireFirstAnswer(expected, [...(logits as Float32Array)]);
}

function openEncoder() {
  const { projector } = setup.build;
  return projector === null
    ? NO_ENCODER
    : openProjector(addon, model, projector, setup.device, setup.threads);
}
