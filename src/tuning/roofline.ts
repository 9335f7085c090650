import type { ModelDescription, Plan } from '../engine/index.js';

/**
 * The minimum time of a device for some plans, from the roofline model (Williams, Waterman and Patterson,
 * "Roofline: an insightful visual performance model for multicore architectures", CACM 52(4), 2009): no
 * computation is faster than its operations at the peak rate, or its bytes at the memory's bandwidth.
 *
 *   operations = 2 · weights · T + 4 · Σ layers Σ tokens heads · head size · visible + 2 · V · d · answers
 *   seconds    ≥ max(operations / peak, weight bytes / bandwidth)
 *
 * with T the unique tokens, V the vocabulary and d the width. Weights are assumed to be read once, and the KV cache to
 * be free, so the true bound can only be higher.
 */
export function leastSeconds(plans: readonly Plan[], model: ModelDescription, device: Peaks): number {
  return Math.max(operations(plans, model) / device.peak, model.sizeBytes / device.bandwidth);
}

export interface Peaks {
  /**
   * Dense operations per second with 16-bit inputs. llama.cpp multiplies quantized weights in 8 bits, at up to
   * twice this rate (four times on GeForce), so for quantized weights the reported share is too high.
   */
  readonly peak: number;
  /** Bytes per second. */
  readonly bandwidth: number;
}

/** From NVIDIA's data sheets: dense BF16 rates and memory bandwidth. The first matching name counts. */
const DEVICES: ReadonlyArray<readonly [name: RegExp, teraflops: number, terabytes: number]> = [
  [/H200/, 989, 4.8],
  [/H100.*PCIe/i, 756, 2.0],
  [/H100/, 989, 3.35],
  [/A100.*80/, 312, 2.0],
  [/A100/, 312, 1.555],
  [/L40S/, 362, 0.864],
  [/L4\b/, 121, 0.3],
  [/RTX 4090/, 165, 1.008],
];

export function deviceNamed(name: string): Peaks | null {
  const found = DEVICES.find(([pattern]) => pattern.test(name));
  return found === undefined ? null : { peak: found[1] * 1e12, bandwidth: found[2] * 1e12 };
}

export function operations(plans: readonly Plan[], model: ModelDescription): number {
  const output = model.vocabularySize * model.embeddingLength;
  const weights = model.parameters - output;
  const prefixes = new Map(plans.map((plan) => [plan.prefix.join(), plan.prefix.length]));
  let sum = 0;
  const span = (from: number, count: number) => {
    sum += 2 * weights * count + attention(from, count, model);
  };
  for (const length of prefixes.values()) span(0, length);
  for (const { prefix, suffixes } of plans) {
    for (const suffix of suffixes) {
      span(prefix.length, suffix.tokens.length);
      sum += 2 * output;
    }
  }
  return sum;
}

/** Operations of the attention of `count` tokens from position `from` on. */
function attention(
  from: number,
  count: number,
  { metadata, layers, slidingWindow }: ModelDescription,
): number {
  const read = (key: string) => Number(metadata[`${metadata['general.architecture']}.${key}`] ?? 0);
  const heads = read('attention.head_count');
  const size = read('attention.key_length');
  const windowSize = read('attention.key_length_swa') || size;
  const window = slidingWindow > 0 ? slidingWindow : Number.POSITIVE_INFINITY;
  // The cost of a layer without a window; a window can only reduce it, and most layers have one.
  const windowed = slidingWindow > 0 ? layers : 0;
  let visible = 0;
  let inWindow = 0;
  for (let position = from; position < from + count; position++) {
    visible += position + 1;
    inWindow += Math.min(position + 1, window);
  }
  return 4 * heads * (windowed * windowSize * inWindow + (layers - windowed) * size * visible);
}
