import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Test } from 'tap';

/** A Node process that answers lines of its standard input with lines of its standard output. */
export class Child {
  readonly errors: string[] = [];
  private readonly lines: AsyncIterableIterator<string>;

  constructor(readonly process: ChildProcess) {
    this.lines = createInterface({ input: process.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
    process.stderr?.on('data', (chunk) => this.errors.push(String(chunk)));
  }

  /** The next line it writes. */
  async line(): Promise<string> {
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`the child ended: ${this.errors.join('')}`);
    return value;
  }

  /** Sends a line, and resolves with the one that it answers. */
  ask(line: string): Promise<string> {
    this.process.stdin?.write(`${line}\n`);
    return this.line();
  }

  async end(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const { process } = this;
    if (process.exitCode === null && process.signalCode === null) await once(process, 'exit');
    return { code: process.exitCode, signal: process.signalCode };
  }
}

/** A command, run by bash after `shell` if there is something to do before. */
export const withShell = (
  shell: string,
  command: readonly [string, ...string[]],
): readonly [string, ...string[]] =>
  shell === '' ? command : ['bash', '-c', `${shell} exec "$@"`, 'bash', ...command];

/** Starts a compiled module of the tests; ended with the test at the latest. `shell`: what bash does before. */
export function child(t: Test, file: URL, args: readonly string[], shell = ''): Child {
  const [command, ...rest] = withShell(shell, [process.execPath, file.pathname, ...args]);
  const started = spawn(command, rest, { stdio: ['pipe', 'pipe', 'pipe'] });
  t.teardown(() => {
    started.kill('SIGKILL');
  });
  return new Child(started);
}
