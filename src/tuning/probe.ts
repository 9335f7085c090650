import {
  type Addon,
  ContextState,
  contextOptions,
  Embeddings,
  type Entry,
  EXACT,
  type ImageEncoder,
  type NativeContext,
  NO_ENCODER,
  noEmbeddings,
  type OpenModel,
  openProjector,
  type Plan,
  type PlanLogits,
  runTogether,
  runWave,
  type Sharing,
  type WaveBounds,
} from '../engine/index.js';

/** How a probe computes. */
export interface ProbePlace {
  /** '' is the CPU. */
  readonly device: string;
  readonly bounds: WaveBounds;
  readonly threads: number;
}

/** One context on the calling thread, driven by the scheduler of the engine. Calls block. */
export interface Probe {
  readonly model: OpenModel;
  readonly bounds: WaveBounds;
  readonly context: NativeContext;
  /** Answers a plan as exact mode does: on an empty context, without others. Throws the addon's error. */
  alone(plan: Plan): PlanLogits;
  /** Answers plans in common waves on an empty context, as the server does. Throws the addon's error. */
  together(plans: readonly Plan[], sharing?: Sharing, on?: NativeContext): PlanLogits[];
  close(): void;
}

/** Opens a context of a model, and its projector if it reads images. Throws the addon's error or ModelError. */
export function openProbe(addon: Addon, model: OpenModel, { device, bounds, threads }: ProbePlace): Probe {
  const { projector } = model.build;
  const reader =
    projector === null || model.images === null
      ? null
      : openProjector(addon, model, projector, device, threads);
  const encoder: ImageEncoder = reader ?? NO_ENCODER;
  const context = addon.createContext(model.handle, contextOptions(bounds, threads));
  const cancel = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const answer = (plans: readonly Plan[], sharing: Sharing, on: NativeContext = context) => {
    on.clear();
    // Nothing is kept between calls: each encodes its images again.
    const embeddings = model.images === null ? noEmbeddings() : new Embeddings(model.images, EMBEDDING_BYTES);
    const state = new ContextState<Entry>(bounds, sharing, embeddings);
    return runTogether(plans, state, (task) => runWave(on, task, bounds, cancel, encoder));
  };
  return {
    model,
    bounds,
    context,
    alone: (plan) => answer([plan], EXACT)[0] as PlanLogits,
    together: (plans, sharing = { ...EXACT, exact: false }, on = context) => answer(plans, sharing, on),
    close() {
      context.close();
      reader?.close();
    },
  };
}

/** Embeddings of the images of one call. */
const EMBEDDING_BYTES = 64 << 20;
