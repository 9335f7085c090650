import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type ProjectorKind, type TinyModelOptions, tinyProjector } from '../../models/tiny/index.js';
import { systemClock } from '../../src/base/index.js';
import { type ServerDependencies, startServer } from '../../src/server/index.js';
import { loadSettings } from '../../src/settings/index.js';
import { createLog } from '../../src/telemetry/index.js';
import { checkOnce } from './check-once.js';
import { dataFolder } from './data-folder.js';
import { smallModelFile } from './tiny.js';

export { dataFolder };

/** Writes a models folder with one tiny model, which reads images where it has a projector; returns the folder. */
export function modelsFolder(
  folder: string,
  options: TinyModelOptions = {},
  model: Record<string, unknown> = {},
  projector?: ProjectorKind,
): string {
  return writeModels(folder, smallModelFile(options), projector && tinyProjector({ kind: projector }), model);
}

/** Writes a models folder with one model of these files; returns the folder. */
export function writeModels(
  folder: string,
  weights: Buffer = smallModelFile(),
  projector?: Buffer,
  model: Record<string, unknown> = {},
): string {
  const models = join(folder, 'models');
  mkdirSync(models, { recursive: true });
  const write = (file: string, bytes: Buffer) => {
    writeFileSync(join(models, file), bytes);
    return { file, sha256: createHash('sha256').update(bytes).digest('hex') };
  };
  const build = {
    date: '20260101',
    ...write('tiny.gguf', weights),
    ...(projector && { projector: write('tiny-projector.gguf', projector) }),
  };
  const manifest = {
    default: model.id ?? 'tiny',
    models: [
      {
        id: 'tiny',
        description: 'A tiny model.',
        release_date: null,
        builds: [build],
        reads_images: projector !== undefined,
        price_class: 'decider-g-12b',
        ...model,
      },
    ],
  };
  writeFileSync(join(models, 'manifest.json'), JSON.stringify(manifest));
  return models;
}

/** What a start is given in a test; `token` is that of the key it made, once it has. */
export function testDependencies(write: (line: string) => void = () => {}) {
  const told = { token: '' };
  const dependencies = {
    clock: systemClock,
    log: createLog('info', { write }),
    report: {
      notice: () => {},
      token: (token: string) => {
        told.token = token;
      },
      progress: () => {},
    },
    stop: new AbortController().signal,
  };
  return { told, dependencies };
}

/** The whole server with a tiny F32 model, on a free loopback port; stopped when the test ends. */
export async function startTestServer(
  t: Test,
  environment: Record<string, string> = {},
  models: string = modelsFolder(dataFolder(t)),
  own: Partial<ServerDependencies> = {},
) {
  const settings = loadSettings(
    {
      DECIDER_PORT: '0',
      DECIDER_MODELS: models,
      DECIDER_DATA: dataFolder(t),
      DECIDER_ENGINE_BACKEND: 'cpu',
      DECIDER_ENGINE_THREADS: '1',
      // Its process takes 0.4 s of processor time at every start.
      DECIDER_ENGINE_MEMORY_CHECK: 'false',
      // So does the one that `auto` starts.
      DECIDER_HTTP_TRANSPORT: 'node',
      // Tests of exact mode compare what was computed.
      DECIDER_ENGINE_ANSWER_CACHE_MB: '0',
      ...environment,
    },
    undefined,
  );
  const lines: string[] = [];
  const { told, dependencies } = testDependencies((line) => void lines.push(line));
  const server = await startServer(settings, { ...dependencies, checkModel: checkOnce, ...own });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${told.token}` };
  t.teardown(() => server.stop());
  const decide = (body: unknown, path = '/v1/decide') =>
    fetch(server.url + path, {
      method: 'POST',
      headers,
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    });
  // biome-ignore lint/suspicious/noExplicitAny: what comes back is what the test is about
  const ask = async (body: unknown, path?: string): Promise<any> => (await decide(body, path)).json();
  return { ...server, settings, lines, headers, decide, ask };
}
