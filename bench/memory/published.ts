import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deriveSizes } from '../../src/engine/index.js';
import { estimateMemory } from '../../src/engine/memory/estimate-memory.js';
import { type MemoryNeed, totalOf } from '../../src/engine/memory/memory-types.js';
import { type Quantization, SHAPES, writeHollowModel } from './hollow.js';

export const QUANTIZATIONS = ['Q4_K_M', 'Q8_0', 'BF16'] as const;

/** The default settings. */
const SETTINGS = { cells: 8_192, wave_tokens: 0, sequences: 64, contexts: 0 };

/** Bytes of a published model with the default settings, computed from its dimensions. */
export interface PublishedMemory {
  readonly file: number;
  /** The KV cache of one context. */
  readonly cache: number;
  /** One context, waves of 512 tokens. */
  readonly cpu: number;
  /** Two contexts, waves of 2,048 tokens. */
  readonly gpu: number;
}

/** Estimates a model of these dimensions with the CPU backend, which stands in for a GPU's. */
export async function publishedMemory(
  model: keyof typeof SHAPES,
  quantization: Quantization,
): Promise<PublishedMemory> {
  const folder = mkdtempSync(join(tmpdir(), 'decider-hollow-'));
  try {
    const path = join(folder, 'model.gguf');
    const file = writeHollowModel(path, SHAPES[model], quantization);
    const build = { id: model, path, sha256: '', parts: [], projector: null };
    const sizes = ['', 'GPU'].map((device) => deriveSizes(SETTINGS, device));
    const { needs, failure } = await estimateMemory({ backend: 'cpu', devices: [''] }, build, sizes);
    if (needs === null) throw new Error(failure ?? '');
    const [cpu, gpu] = needs.map(([need]) => need as MemoryNeed) as [MemoryNeed, MemoryNeed];
    // llama.cpp keeps a second copy of the token embedding in RAM.
    return { file, cache: cpu.cache, cpu: totalOf(cpu), gpu: file + gpu.cache + gpu.buffers };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
