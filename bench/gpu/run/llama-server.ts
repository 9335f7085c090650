import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { libraries } from '#native/platform.mjs';
import { OperatorError } from '../../../src/base/index.js';
import { type Kit, readJson } from './kit.js';
import { ServerProcess } from './server-process.js';
import type { StepContext } from './steps.js';

/** Relative to the libraries of llama.cpp, which it needs. */
export const LLAMA_SERVER = 'llama-server';
const HEALTH_EVERY_MS = 200;
const END_MS_MAX = 10_000;

/** Slots, cells of all slots together, and tokens of a decode: those of the engine on a GPU and on a CPU. */
const SIZES = {
  cuda: { slots: 64, cells: 32_768, tokens: 2_048 },
  cpu: { slots: 4, cells: 8_192, tokens: 512 },
} as const;

interface LlamaCases {
  readonly cases: string;
  readonly rounds: number;
}

/** Measures cases of bench:engine on llama.cpp's server. Keeps the cases that were measured. */
export async function measureLlamaServer(
  kit: Kit,
  model: string,
  { cases, rounds }: LlamaCases,
  { stop, keep }: StepContext,
): Promise<unknown> {
  const folder = libraries(kit.backend) ?? '';
  const program = join(folder, LLAMA_SERVER);
  if (!existsSync(program)) throw new OperatorError('the kit was packed without llama.cpp’s server');
  const { slots, cells, tokens } = SIZES[kit.backend];
  const port = await freePort();
  const args = [
    ['--model', model],
    ['--host', '127.0.0.1', '--port', String(port)],
    ['--parallel', String(slots), '--ctx-size', String(cells), '--kv-unified'],
    ['--batch-size', String(tokens), '--ubatch-size', String(tokens)],
    ['--flash-attn', 'on', '--fit', 'off', '--cache-ram', '0', '--no-ui', '--offline'],
    kit.backend === 'cuda' ? ['--n-gpu-layers', '999'] : ['--threads', '1'],
  ].flat();
  const server = ServerProcess.start(program, args, {}, stop);
  const json = join(kit.folder('results'), `llama-server-${process.hrtime.bigint()}.json`);
  try {
    const url = `http://127.0.0.1:${port}`;
    await untilHealthy(url, server, stop);
    const script = 'dist/bench/gpu/run/llama-cases-process.js';
    const wanted = ['--url', url, '--model', model, '--cases', cases, '--rounds', String(rounds)];
    await kit.script(script, [...wanted, '--json', json], { stop });
    return { slots, cells, ...(readJson(json) as object) };
  } catch (error) {
    if (existsSync(json)) keep({ slots, cells, ...(readJson(json) as object) });
    if (!server.hasEnded) throw error;
    throw new OperatorError(`llama-server ended:\n${server.output}`);
  } finally {
    await server.close(END_MS_MAX);
  }
}

async function untilHealthy(url: string, server: ServerProcess, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    if (server.hasEnded) throw new OperatorError(`llama-server ended:\n${server.output}`);
    const response = await fetch(`${url}/health`, { signal: stop }).catch(() => null);
    if (response?.status === 200) return;
    await sleep(HEALTH_EVERY_MS);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
