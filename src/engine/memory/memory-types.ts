import type { Backend } from '#native/platform.mjs';
import type { ContextOptions, MemoryUse } from '../addon/addon-types.js';

/** Bytes that a build needs on one device. */
export interface MemoryNeed {
  /** '' is RAM. */
  readonly device: string;
  readonly weights: number;
  /** The KV caches of all contexts; in RAM also the records of their cells. */
  readonly cache: number;
  /** Intermediate results and logits of all contexts. */
  readonly buffers: number;
  /** The projector's weights and intermediate results. */
  readonly projector: number;
}

/** Bytes of a device. */
export interface MemorySpace {
  /** '' is RAM. */
  readonly device: string;
  readonly free: number;
  readonly total: number;
}

/** The sizes that a message about memory names. */
export interface ReserveAdvice {
  readonly cells: number;
  /** Per model and device. */
  readonly contexts: number;
  readonly waveTokens: number;
}

/** A task for the process that measures a build, as JSON. */
export interface MeasureTask {
  readonly backend: Backend;
  /** Each holds the whole build; '' is the CPU. */
  readonly devices: readonly string[];
  readonly path: string;
  /** The projector's file; null: none. */
  readonly projector: string | null;
  readonly contexts: readonly ContextOptions[];
}

/** What a build takes, as llama.cpp reports it. */
export interface Measured {
  readonly devices: ReadonlyArray<{
    readonly device: string;
    /** For each of the task's contexts, by the device that holds the memory: host memory counts as RAM. */
    readonly uses: ReadonlyArray<readonly MemoryUse[]>;
  }>;
  /** Bytes of a projector on a device. */
  readonly projector: number;
}

/** Lines that the process reports. */
export type MeasureReport = { readonly error: string } | { readonly measured: Measured };

export const totalOf = ({ weights, cache, buffers, projector }: MemoryNeed) =>
  weights + cache + buffers + projector;
