import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Started, Statements } from './node-process.js';

const SCRIPT = fileURLToPath(new URL('./node-process.js', import.meta.url));

const folders: string[] = [];
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A server with a simulated engine, in its own process. */
export class BenchNode {
  private constructor(
    private readonly child: ChildProcess,
    /** The data folder, which is removed when this process ends. */
    readonly folder: string,
    readonly port: number,
    readonly token: string,
  ) {}

  /** `environment`: settings of the server; `waveMs`: the duration of a wave. */
  static async start(environment: Readonly<Record<string, string>>, waveMs: number): Promise<BenchNode> {
    const folder = mkdtempSync(join(tmpdir(), 'decider-bench-'));
    folders.push(folder);
    const child = fork(SCRIPT, [], {
      env: { ...process.env, ...environment, DECIDER_DATA: folder, WAVE_MS: String(waveMs) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const started = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => null)]);
    if (started === null) throw new Error('a node does not start');
    const { port, token } = started[0] as Started;
    return new BenchNode(child, folder, port, token);
  }

  async statements(): Promise<Statements> {
    const answer = once(this.child, 'message');
    this.child.send('statements');
    return (await answer)[0] as Statements;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }
}
