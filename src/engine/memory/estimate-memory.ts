import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Backend } from '#native/platform.mjs';
import { entryFile } from '../../base/index.js';
import { ChildError, limitsFor, oneLine, runBounded } from '../check/bounded-child.js';
import { type BuildFiles, type CatalogBuild, filesOf } from '../models/catalog.js';
import { reason } from '../models/manifest.js';
import type { EngineSizes } from '../sizes.js';
import { contextOptions } from '../wave/wave-types.js';
import type { Measured, MeasureReport, MeasureTask, MemoryNeed } from './memory-types.js';

/**
 * RAM in which llama.cpp records the position and the sequences of a cell, which it does not report. Measured: 250 to 280
 * bytes more per cell of a context.
 */
export const RECORD_BYTES_PER_CELL = 270;

/** Where an engine computes. */
export interface Place {
  readonly backend: Backend;
  /** Each holds all builds; '' is the CPU. */
  readonly devices: readonly string[];
}

/** The estimate for one build. */
export interface BuildMemory {
  readonly build: string;
  /** For each of the sizes asked for, the needs by device; null if they could not be estimated. */
  readonly needs: ReadonlyArray<readonly MemoryNeed[]> | null;
  /** Why not; null if they were estimated. */
  readonly failure: string | null;
}

/**
 * Estimates the memory that a build takes at each of several sizes. A child process opens the model as the engine would,
 * but llama.cpp then only computes the sizes of its buffers (`no_alloc`): header and vocabulary are read, the weights are
 * not. A file that cannot be opened is no error here, because the check that follows says why. Throws the signal's reason.
 */
export async function estimateMemory(
  place: Place,
  build: Pick<CatalogBuild, 'id'> & BuildFiles,
  sizes: readonly EngineSizes[],
  stop?: AbortSignal,
): Promise<BuildMemory> {
  const task: MeasureTask = {
    ...place,
    path: build.path,
    projector: build.projector?.path ?? null,
    contexts: sizes.map(({ bounds }) => contextOptions(bounds, 1)),
  };
  const found = await measure(task, build, stop);
  if (typeof found === 'string') return { build: build.id, needs: null, failure: found };
  const needs = sizes.map((each, index) => needsOf(found, index, each));
  return { build: build.id, needs, failure: null };
}

/** Returns why it could not be measured as a string. */
async function measure(task: MeasureTask, build: BuildFiles, stop?: AbortSignal): Promise<Measured | string> {
  try {
    // Reading a FIFO or a device may never end.
    for (const { path } of filesOf(build)) {
      if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return `${path}: not a regular file`;
    }
    const limits = limitsFor(build, task.devices[0] ?? '');
    const { lines, ending, late } = await runBounded(
      fileURLToPath(entryFile('engine/memory/measure-process')),
      task,
      1,
      limits,
      stop,
    );
    const [line] = lines;
    if (line === undefined) return `${build.path}: ${late ? 'it takes too long' : ending}`;
    const report: MeasureReport = JSON.parse(line);
    return 'measured' in report ? report.measured : `${build.path}: ${oneLine(reason(report.error))}`;
  } catch (error) {
    stop?.throwIfAborted();
    // A path that cannot be read, or that no file system can have.
    const { message, code } = error as NodeJS.ErrnoException;
    if (error instanceof ChildError || code !== undefined) return oneLine(message);
    throw error;
  }
}

/** Adds up what one build takes at one of the sizes. Weights and projector exist once per device. */
function needsOf(
  { devices, projector }: Measured,
  index: number,
  { bounds, contexts }: EngineSizes,
): MemoryNeed[] {
  const none = { device: '', weights: 0, cache: 0, buffers: 0, projector: 0 };
  const records = RECORD_BYTES_PER_CELL * bounds.cells * contexts;
  const uses = devices.flatMap(({ device, uses }) => [
    { ...none, device, projector },
    { ...none, cache: records },
    ...(uses[index] ?? []).map(({ device, weights, cache, compute, outputs }) => ({
      device,
      weights,
      cache: cache * contexts,
      buffers: (compute + outputs) * contexts,
      projector: 0,
    })),
  ]);
  return addNeeds(uses);
}

/** The sum of needs, one per device. */
export function addNeeds(needs: readonly MemoryNeed[]): MemoryNeed[] {
  const byDevice = new Map<string, MemoryNeed>();
  for (const each of needs) {
    const before = byDevice.get(each.device);
    byDevice.set(each.device, {
      device: each.device,
      weights: each.weights + (before?.weights ?? 0),
      cache: each.cache + (before?.cache ?? 0),
      buffers: each.buffers + (before?.buffers ?? 0),
      projector: each.projector + (before?.projector ?? 0),
    });
  }
  return [...byDevice.values()];
}
