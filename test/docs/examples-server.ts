import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { startTestServer } from '../support/server.js';
import { ROOT } from '../support/sources.js';

const run = promisify(execFile);

/** The server of a fresh clone, and a way to run commands against it with `URL` and `TOKEN` set. */
export async function startExampleServer(
  t: Test,
  models = 'models',
  environment: Record<string, string> = {},
) {
  const server = await startTestServer(t, environment, join(ROOT, models));
  const TOKEN = server.headers.authorization.slice('Bearer '.length);
  const command = async (file: string, args: readonly string[], own: Record<string, string> = {}) => {
    const env = { ...process.env, URL: server.url, TOKEN, ...own };
    return (await run(file, args, { cwd: ROOT, env })).stdout;
  };
  return { ...server, command };
}
