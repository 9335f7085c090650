import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type TinyModelOptions, tinyModel } from '../../models/tiny/index.js';
import { createLog, systemClock } from '../../src/base/index.js';
import { loadSettings, startServer } from '../../src/server/index.js';

/** Writes a models folder with one tiny model; returns the folder. */
export function modelsFolder(
  folder: string,
  options: TinyModelOptions = {},
  model: Record<string, unknown> = {},
): string {
  const models = join(folder, 'models');
  mkdirSync(models, { recursive: true });
  const bytes = tinyModel(options);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  writeFileSync(join(models, 'tiny.gguf'), bytes);
  const manifest = {
    default: 'tiny',
    models: [
      {
        id: 'tiny',
        description: 'A tiny model.',
        release_date: null,
        builds: [{ date: '20260101', file: 'tiny.gguf', sha256 }],
        reads_images: false,
        price_class: 'tiny',
        ...model,
      },
    ],
  };
  writeFileSync(join(models, 'manifest.json'), JSON.stringify(manifest));
  return models;
}

/** The whole server with a tiny F32 model, on a free loopback port; stopped when the test ends. */
export async function startTestServer(
  t: Test,
  environment: Record<string, string> = {},
  models: string = modelsFolder(t.testdir()),
) {
  const settings = loadSettings(
    {
      DECIDER_PORT: '0',
      DECIDER_MODELS: models,
      DECIDER_ENGINE_BACKEND: 'cpu',
      DECIDER_ENGINE_THREADS: '1',
      ...environment,
    },
    undefined,
  );
  const lines: string[] = [];
  const server = await startServer(settings, {
    clock: systemClock,
    log: createLog('info', { write: (line: string) => void lines.push(line) }),
    report: { notice: () => {}, progress: () => {} },
    stop: new AbortController().signal,
  });
  t.teardown(() => server.stop());
  const decide = (body: unknown, path = '/v1/decide') =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    });
  // biome-ignore lint/suspicious/noExplicitAny: what comes back is what the test is about
  const ask = async (body: unknown, path?: string): Promise<any> => (await decide(body, path)).json();
  return { ...server, lines, decide, ask };
}
