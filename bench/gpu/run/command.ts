import { spawn } from 'node:child_process';
import { OperatorError } from '../../../src/base/index.js';

/** Characters of the end of an output that are recorded. */
const TAIL_CHARACTERS = 4_000;

/** How a command ended. */
export interface Ended {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** The end of both outputs together. */
  readonly tail: string;
  /** The whole standard output. */
  readonly stdout: string;
}

export interface CommandOptions {
  readonly variables?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** Ends the command and all processes that it has started. */
  readonly stop: AbortSignal;
}

/** Runs a command to its end. Rejects if it cannot be started. */
export function runCommand(
  program: string,
  args: readonly string[],
  { variables = {}, folder, stop }: CommandOptions,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    // A process group of its own, so that its child processes end with it.
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...process.env, ...variables },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const kill = () => endGroup(child.pid);
    stop.addEventListener('abort', kill, { once: true });
    if (stop.aborted) kill();
    let tail = '';
    let stdout = '';
    const add = (text: string) => {
      tail = (tail + text).slice(-TAIL_CHARACTERS);
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      add(text);
    });
    child.stderr.setEncoding('utf8').on('data', add);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      stop.removeEventListener('abort', kill);
      resolve({ code, signal, tail, stdout });
    });
  });
}

/** Ends a process and all that it has started. */
export function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Throws OperatorError with the end of the output if a command has failed. */
export function requireSuccess(what: string, { code, signal, tail }: Ended): void {
  if (code === 0) return;
  throw new OperatorError(
    `${what} ended with ${signal === null ? `status ${code}` : signal}:\n${tail.trim()}`,
  );
}
