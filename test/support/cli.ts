import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { entryFile } from '../../src/base/index.js';
import { withShell } from './child.js';
import { type Ended, runHere } from './in-process.js';
import type { Owner } from './owner.js';
import { dataFolder } from './server.js';

const MAIN = fileURLToPath(entryFile('cli/main'));

/** A `decider` command running in a process of its own. */
export class Command {
  readonly lines: string[] = [];
  private errors = '';
  private readonly waiting = new Set<() => void>();
  /** It has ended, and everything that it wrote is read: `exit` may come before the last output. */
  private readonly closed: Promise<unknown>;
  private readonly exited: Promise<unknown>;

  constructor(readonly child: ChildProcess) {
    this.closed = once(child, 'close');
    this.exited = once(child, 'exit');
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      this.lines.push(line);
      for (const check of this.waiting) check();
    });
    child.stderr?.on('data', (chunk) => {
      this.errors += chunk;
      for (const check of this.waiting) check();
    });
  }

  /** The first line of standard output that fits, once it is there. */
  line(pattern: RegExp): Promise<string> {
    return this.first(pattern, () => this.lines);
  }

  /** The first whole line of standard error that fits, once it is there. */
  errorLine(pattern: RegExp): Promise<string> {
    return this.first(pattern, () => this.errors.split('\n').slice(0, -1));
  }

  private first(pattern: RegExp, lines: () => readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = lines().find((line) => pattern.test(line));
        if (found === undefined) return;
        this.waiting.delete(check);
        resolve(found);
      };
      this.waiting.add(check);
      // `exit` may come before the last line.
      this.child.once('close', () => reject(new Error(`it ended without ${pattern}: ${this.errors}`)));
      check();
    });
  }

  /** Kills it, if it has not ended; resolves when it has. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  /** What it wrote and how it ended, once it has. */
  async end(): Promise<{ code: number | null; stdout: string; stderr: string }> {
    await this.closed;
    return { code: this.child.exitCode, stdout: this.lines.join('\n'), stderr: this.errors };
  }
}

/** The variables of a command in a test. */
const variables = (t: Owner, own: Record<string, string>): Record<string, string> => ({
  DECIDER_ENGINE_THREADS: '1',
  // Its process takes 0.4 s of processor time at every start.
  DECIDER_ENGINE_MEMORY_CHECK: 'false',
  // So does the one that `auto` starts.
  DECIDER_HTTP_TRANSPORT: 'node',
  DECIDER_DATA: dataFolder(t),
  // The usual one may be in use here.
  DECIDER_PORT: '0',
  ...own,
});

/** Runs `decider` with arguments in this process, on an empty data folder; see `runHere`. */
export const run = (
  t: Owner,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Ended> => runHere(args, variables(t, environment));

/**
 * Starts `decider` with arguments, on an empty data folder; ended with the test at the latest. `shell`: what bash does
 * before.
 */
export function decider(
  t: Owner,
  args: readonly string[],
  environment: Record<string, string> = {},
  shell = '',
): Command {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('DECIDER_'));
  const [command, ...rest] = withShell(shell, [process.execPath, MAIN, ...args]);
  const child = spawn(command, rest, {
    env: { ...Object.fromEntries(inherited), ...variables(t, environment) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => {
    child.kill('SIGKILL');
  });
  return new Command(child);
}
