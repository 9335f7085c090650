import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { writeTinyModel } from '../../../models/tiny/index.js';
import { sha256OfFile } from '../../../src/base/index.js';
import type { Kit } from './kit.js';
import { writeManifest } from './models.js';
import { ServerProcess } from './server-process.js';
import type { StepContext } from './steps.js';

/** 32 KiB of KV cache per token in its one global layer: 256 GiB with the largest settings, and 30 MB of weights. */
const MANY_CELLS = {
  layers: 2,
  globalEvery: 2,
  globalKeyValueHeads: 16,
  globalHeadSize: 512,
  // CUDA's flash attention of heads of this size needs at least two per head of keys.
  heads: 32,
} as const;
const LARGEST = { DECIDER_ENGINE_CELLS: '1048576', DECIDER_ENGINE_CONTEXTS: '8' };
const READY_MS_MAX = 40_000;
const END_MS_MAX = 10_000;

/**
 * Starts servers that need more memory than there is: with the estimate, which must refuse, and on a GPU without it, where
 * the allocation fails. On a CPU it would not fail: the kernel would end some process.
 */
export async function exhaustMemory(kit: Kit, { stop, keep }: StepContext): Promise<unknown> {
  const folder = kit.folder('models-cells');
  const file = join(folder, 'many-cells.gguf');
  writeTinyModel(file, MANY_CELLS);
  writeManifest(folder, 'kit-cells', { file, sha256: await sha256OfFile(file) });
  const found: Record<string, unknown> = { checked: await endOf(kit, folder, LARGEST, stop) };
  keep(found);
  if (kit.backend === 'cpu') return found;
  const unchecked = { ...LARGEST, DECIDER_ENGINE_MEMORY_CHECK: 'false' };
  return { ...found, unchecked: await endOf(kit, folder, unchecked, stop) };
}

/** How a server with these settings ends, and its last lines. */
async function endOf(kit: Kit, models: string, settings: Record<string, string>, stop: AbortSignal) {
  const start = performance.now();
  const variables = kit.variables({
    DECIDER_PORT: '0',
    DECIDER_DATA: mkdtempSync(join(kit.folder('tmp'), 'data-')),
    DECIDER_MODELS: models,
    ...settings,
  });
  const args = [join(kit.root, 'bin/decider.mjs'), 'serve'];
  const server = ServerProcess.start(process.execPath, args, variables, stop);
  const timer = setTimeout(() => void server.close(END_MS_MAX), READY_MS_MAX);
  const isReady = await server.line(/^listening on /).then(
    () => true,
    () => false,
  );
  clearTimeout(timer);
  await server.close(END_MS_MAX);
  const seconds = Math.round((performance.now() - start) / 100) / 10;
  return { became_ready: isReady, ...(await server.ended()), seconds, output: server.output };
}
