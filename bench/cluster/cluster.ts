import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeTinyModel } from '../../models/tiny/index.js';
import { PostgresServer } from '../../test/support/postgres-server.js';
import { startHaproxy } from '../../test/support/proxy.js';
import { modelsFolder } from '../batch/models.js';
import { BenchNode } from './node.js';
import type { Statements } from './node-process.js';

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
/** Limits above what a benchmark sends. */
const LIMITS = ['--requests-per-minute', '1000000', '--bytes-per-minute', '1000000000'];

/** The nodes of a benchmark behind HAProxy without TLS, over one store. */
export interface BenchCluster {
  readonly nodes: readonly BenchNode[];
  /** Of the proxy. */
  readonly port: number;
  readonly token: string;
  /** The statements of all nodes together. */
  statements(): Promise<Statements>;
  stop(): Promise<void>;
}

/**
 * Starts `count` nodes over PostgreSQL, or with `store` `lmdb` one node on its data folder. `waveMs`: the time of a wave.
 */
export async function startCluster(
  store: 'lmdb' | 'postgres',
  count: number,
  { waveMs, models }: { readonly waveMs: number; readonly models: string },
): Promise<BenchCluster> {
  const ends: Array<() => unknown> = [];
  const teardown = (end: () => unknown) => void ends.unshift(end);
  const stop = async () => {
    for (const end of ends.splice(0)) await end();
  };
  try {
    const environment: Record<string, string> = {
      DECIDER_MODELS: models,
      DECIDER_ENGINE_BACKEND: 'cpu',
      DECIDER_ENGINE_THREADS: '1',
      DECIDER_ENGINE_MEMORY_CHECK: 'false',
      // The number of sequences bounds waves, not the number of tokens.
      DECIDER_ENGINE_SEQUENCES: '16',
      DECIDER_ENGINE_WAVE_TOKENS: '4096',
      DECIDER_LOG_LEVEL: 'silent',
    };
    if (store === 'postgres') {
      const server = await PostgresServer.create();
      teardown(() => server.remove());
      environment.DECIDER_STORE_URL = await server.createDatabase();
      environment.DECIDER_MASTER_KEY = randomBytes(32).toString('hex');
    }
    const nodes: BenchNode[] = [];
    for (let at = 0; at < count; at += 1) {
      const node = await BenchNode.start(environment, waveMs);
      nodes.push(node);
      teardown(() => node.stop());
    }
    const [first] = nodes as [BenchNode];
    const own = { ...process.env, ...environment, DECIDER_DATA: first.folder };
    await promisify(execFile)(process.execPath, [MAIN, 'workspaces', 'limits', 'default', ...LIMITS], {
      env: own,
    });
    const ports = nodes.map(({ port }) => port);
    const { port } = await startHaproxy({ teardown: teardown as never }, ports, withoutTls);
    return { nodes, port, token: first.token, statements: () => sumOf(nodes), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const withoutTls = (text: string) => text.replace(/^( {2}bind 127\.0\.0\.1:\d+) ssl .*$/m, '$1');

/** A models folder with a tiny model, removed when the process ends. */
export async function tinyModels(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'decider-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'tiny.gguf');
  writeTinyModel(file);
  return modelsFolder(file);
}

async function sumOf(nodes: readonly BenchNode[]): Promise<Statements> {
  const sums: Record<string, number> = {};
  for (const node of nodes) {
    for (const [name, count] of Object.entries(await node.statements()))
      sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}
