import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { OperatorError } from '../../../src/base/index.js';
import { endGroup } from './command.js';

const LINES_KEPT = 60;

/** A server in a process of its own, that ends with the signal. */
export class ServerProcess {
  private readonly lines: string[] = [];
  private readonly waiting = new Set<(line: string) => void>();

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        this.lines.push(line);
        if (this.lines.length > LINES_KEPT) this.lines.shift();
        for (const seen of this.waiting) seen(line);
      });
    }
  }

  static start(
    program: string,
    args: readonly string[],
    variables: Readonly<Record<string, string>>,
    stop: AbortSignal,
  ): ServerProcess {
    const child = spawn(program, args, {
      env: { ...process.env, ...variables },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    stop.addEventListener('abort', () => endGroup(child.pid), { once: true });
    // Reported by `line` and `ended`, which wait for the exit.
    child.on('error', (error) => child.emit('exit', null, error.message));
    return new ServerProcess(child);
  }

  /** The last lines of both outputs, without the token of the server. */
  get output(): string {
    return this.lines.filter((line) => !/dk_/.test(line)).join('\n');
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** The first line from now on, or of those so far, that matches. Rejects if the server ends before. */
  async line(pattern: RegExp): Promise<string> {
    const known = this.lines.find((line) => pattern.test(line));
    if (known !== undefined) return known;
    const failed = () => new OperatorError(`the server ended before it was ready:\n${this.output}`);
    if (this.hasEnded) throw failed();
    return new Promise((resolve, reject) => {
      const seen = (line: string) => {
        if (!pattern.test(line)) return;
        this.waiting.delete(seen);
        resolve(line);
      };
      this.waiting.add(seen);
      this.child.once('exit', () => setImmediate(() => reject(failed())));
    });
  }

  /** How it ended. */
  async ended(): Promise<{ code: number | null; signal: string | null }> {
    if (!this.hasEnded) await once(this.child, 'exit');
    return { code: this.child.exitCode, signal: this.child.signalCode };
  }

  /** Asks the server to end, and kills it if it does not within a time in milliseconds. */
  async close(graceMs: number): Promise<void> {
    if (this.hasEnded) return;
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => endGroup(this.child.pid), graceMs);
    await this.ended();
    clearTimeout(timer);
  }
}
