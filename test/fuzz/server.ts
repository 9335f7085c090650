import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TransportName } from '../../src/http/index.js';
import type { FromServer, Memory } from './messages.js';

const FILE = fileURLToPath(new URL('./server-process.js', import.meta.url));
/**
 * glibc gives large pieces back at once where these are set. Otherwise every thread that ever held a body of 32 MiB may
 * keep as much, up to some 500 MiB of all threads, which would hide what the server itself holds.
 */
const EXACT_MALLOC = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };
const ERRORS_MAX = 3;
const ERROR_CHARACTERS_MAX = 2_000;
const STDERR_CHARACTERS_MAX = 10_000;

/** A server in a process of its own. */
export class FuzzServer {
  /** Lines of its log of level error and what it wrote beside that, such as warnings of Node's; the first ones. */
  readonly errors: string[] = [];
  /** How it ended, with what it wrote last; null while it runs. */
  ended: string | null = null;
  port = 0;
  tokens: readonly string[] = [];
  /** The last batch of each token. */
  readonly batches = new Map<string, string>();
  private stderr = '';
  private onMemory: (memory: Memory) => void = () => {};
  private onEnded = () => {};
  /** Resolves when it has ended. */
  private readonly gone = new Promise<void>((resolve) => {
    this.onEnded = resolve;
  });

  private constructor(
    readonly transport: TransportName,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(transport: TransportName): Promise<FuzzServer> {
    const folder = mkdtempSync(join(tmpdir(), 'decider-fuzz-'));
    const child = fork(FILE, [transport, folder], {
      env: { ...process.env, ...EXACT_MALLOC },
      execArgv: ['--enable-source-maps'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const server = new FuzzServer(transport, child, folder);
    child.stderr?.on('data', (chunk) => {
      server.stderr = (server.stderr + String(chunk)).slice(-STDERR_CHARACTERS_MAX);
      server.hear({ kind: 'error', line: String(chunk) });
    });
    await new Promise<void>((resolve, reject) => {
      child.on('message', (message: FromServer) => {
        server.hear(message);
        if (message.kind === 'listening') resolve();
      });
      child.once('close', (code, signal) => {
        server.ended = `the server ended with ${signal ?? code}: ${server.stderr}`;
        server.onEnded();
        reject(new Error(server.ended));
      });
    });
    return server;
  }

  memory(): Promise<Memory> {
    return new Promise((resolve) => {
      this.onMemory = resolve;
      this.child.send('memory');
    });
  }

  /** How it ended; null where it still runs after so many milliseconds. */
  async endWithin(ms: number): Promise<string | null> {
    await Promise.race([this.gone, setTimeout(ms, undefined, { ref: false })]);
    return this.ended;
  }

  async stop(): Promise<void> {
    if (this.ended === null) {
      const closed = new Promise((resolve) => this.child.once('close', resolve));
      this.child.kill('SIGKILL');
      await closed;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private hear(message: FromServer): void {
    if (message.kind === 'memory') this.onMemory(message.memory);
    else if (message.kind === 'listening') [this.port, this.tokens] = [message.port, message.tokens];
    else if (this.errors.length < ERRORS_MAX) this.errors.push(message.line.slice(0, ERROR_CHARACTERS_MAX));
  }
}
