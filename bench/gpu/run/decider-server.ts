import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { HttpTarget } from '../../../src/load/index.js';
import type { Kit } from './kit.js';
import { ServerProcess } from './server-process.js';

const END_MS_MAX = 10_000;
const CONNECTIONS = 256;

/** A server with a key without limits. */
export interface RunningServer {
  readonly url: string;
  readonly token: string;
  readonly target: HttpTarget;
  /** Milliseconds from its start until it was ready. */
  readonly startMs: number;
  readonly process: ServerProcess;
  close(): Promise<void>;
}

/** Starts `decider serve` with the models of a folder. Rejects with its last lines if it does not become ready. */
export async function startServer(
  kit: Kit,
  models: string,
  settings: Readonly<Record<string, string>>,
  stop: AbortSignal,
): Promise<RunningServer> {
  const started = performance.now();
  const variables = kit.variables({
    DECIDER_PORT: '0',
    DECIDER_DATA: mkdtempSync(join(kit.folder('tmp'), 'data-')),
    DECIDER_MODELS: models,
    DECIDER_LOG_LEVEL: 'warn',
    ...settings,
  });
  const server = ServerProcess.start(
    process.execPath,
    [join(kit.root, 'bin/decider.mjs'), 'serve'],
    variables,
    stop,
  );
  try {
    const url = (await server.line(/^listening on /)).slice('listening on '.length);
    const token = (await server.line(/^token: /)).slice('token: '.length);
    const startMs = Math.round(performance.now() - started);
    const unlimited = ['--requests-per-minute', '1000000', '--bytes-per-minute', '100000000000'];
    await kit.decider(['workspaces', 'limits', 'default', ...unlimited], { variables, stop });
    const target = new HttpTarget(new URL('/v1/systemone', url), token, CONNECTIONS);
    return {
      url,
      token,
      target,
      startMs,
      process: server,
      async close() {
        await target.close();
        await server.close(END_MS_MAX);
      },
    };
  } catch (error) {
    // It would hold the memory of the GPU during the next steps.
    await server.close(END_MS_MAX);
    throw error;
  }
}
