import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
const READY_MS_MAX = 60_000;
const RSS = /^VmRSS:\s+(\d+) kB$/m;

/** A complete server with two workspaces: one of the attackers, one of the caller whose requests are timed. */
export class Target {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly port: number,
    readonly operatorPort: number,
    /** Keys of one workspace. */
    readonly attackers: readonly string[],
    readonly victim: string,
  ) {}

  static async start(models: string, keys: number): Promise<Target> {
    const folder = mkdtempSync(join(tmpdir(), 'decider-bench-'));
    const [operatorPort, operatorToken] = [await freePort(), `op_${randomBytes(24).toString('hex')}`];
    const child = spawn(process.execPath, [MAIN, 'serve'], {
      env: {
        ...process.env,
        DECIDER_DATA: folder,
        DECIDER_PORT: '0',
        DECIDER_MODELS: models,
        DECIDER_ENGINE_BACKEND: 'cpu',
        DECIDER_ENGINE_THREADS: '1',
        DECIDER_LOG_LEVEL: 'silent',
        DECIDER_OPERATOR_PORT: String(operatorPort),
        DECIDER_OPERATOR_TOKEN: operatorToken,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await lineOf(child, /^listening on (.*)/);
    const call = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' };
      const address = `http://127.0.0.1:${operatorPort}${path}`;
      const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as { readonly token: string };
    };
    const keyOf = async (workspace: string) =>
      (await call('/api/keys', { workspace, expires: 'never' })).token;
    for (const id of ['attackers', 'victim']) {
      await call('/api/workspaces', { id });
      await call(`/api/workspaces/${id}/grants`, { amount: '1000' });
    }
    const attackers: string[] = [];
    for (let number = 0; number < keys; number += 1) attackers.push(await keyOf('attackers'));
    return new Target(
      child,
      folder,
      Number(new URL(url).port),
      operatorPort,
      attackers,
      await keyOf('victim'),
    );
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Resident memory, in bytes. */
  memory(): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    return Number(RSS.exec(status)?.[1] ?? 0) * 1_024;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function lineOf(child: ChildProcess, pattern: RegExp): Promise<string> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const found = new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const [, value] = pattern.exec(line) ?? [];
      if (value !== undefined) resolve(value);
    });
    child.once('exit', () => reject(new Error('the server does not start')));
    setTimeout(() => reject(new Error('the server does not start in time')), READY_MS_MAX).unref();
  });
  return found;
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
