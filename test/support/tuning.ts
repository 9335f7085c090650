import type { Test } from 'tap';
import type { Addon, DecodeBatch, NativeContext, OpenModel } from '../../src/engine/index.js';
import { fixedPlans, type Measurer, measureDevice, measureReference, tune } from '../../src/tuning/index.js';
import { openProbe } from '../../src/tuning/probe.js';
import { addon, COLD } from './engine.js';
import { fakeClock } from './fake-clock.js';

export const TUNED_BOUNDS = {
  cells: 2_048,
  waveTokens: 512,
  microBatchTokens: 512,
  microBatchTokensMin: 64,
  sequences: 64,
};

/** The real addon, whose decodes return what `change` makes of their logits. */
export function brokenAddon(change: (logits: Float32Array, batch: DecodeBatch) => Float32Array): Addon {
  return changedAddon((context) => ({
    decode: (batch, cancel) => change(context.decode(batch, cancel), batch),
  }));
}

/** The real addon with other methods of its contexts. */
export function changedAddon(methods: (context: NativeContext) => Partial<NativeContext>): Addon {
  return {
    ...addon,
    createContext(model, options) {
      const context = addon.createContext(model, options);
      const bound = (name: keyof NativeContext) =>
        (context[name] as (...args: never[]) => unknown).bind(context);
      const names = [
        'decode',
        'copySequence',
        'removeSequence',
        'clear',
        'erase',
        'memory',
        'close',
      ] as const;
      const same = Object.fromEntries(names.map((name) => [name, bound(name)])) as unknown as NativeContext;
      return { ...same, ...methods(context) };
    },
  };
}

/** Measures in this process: `device` is the addon of the device, the reference is the real one. */
export function localMeasurer(
  t: Test,
  model: OpenModel,
  device: Addon,
  { prompts, repeats }: { readonly prompts: number; readonly repeats: number },
): Measurer {
  const open = (of: Addon) => {
    const probe = openProbe(of, model, { device: '', bounds: TUNED_BOUNDS, threads: 1 });
    t.teardown(() => probe.close());
    return probe;
  };
  return {
    async reference(ms) {
      const plans = fixedPlans(model, TUNED_BOUNDS, prompts);
      return measureReference(open(addon), plans, { least: 1, ms, clock: fakeClock() });
    },
    answers: async (count) => measureDevice(open(device), count, repeats),
    speed: async () => {
      throw new Error('speed is not measured');
    },
  };
}

/** Tunes with that measurer; only the answers are measured. */
export const tunedAnswers = (model: OpenModel, measurer: Measurer) =>
  tune(
    {
      build: 'tiny-20260101',
      device: 'a processor',
      goal: 'latency',
      ms: 1_000,
      model,
      machine: { device: '', cells: TUNED_BOUNDS.cells, sharing: COLD, images: null },
      current: { wave_tokens: 512, contexts: 1, sequences: 64, threads: 1, batch_percent: 20 },
      grid: { waveTokens: [], contexts: [], sequences: [], threads: [], batchPercent: [] },
    },
    {
      measurer,
      open: async () => {
        throw new Error('no engine is opened');
      },
      clock: fakeClock(),
      onStep: () => {},
    },
  );
