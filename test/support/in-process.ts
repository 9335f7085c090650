import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import { program } from '../../src/cli/program.js';

/** What a command wrote and how it ended. */
export interface Ended {
  readonly code: number;
  /** Without its last end of line. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Ends a command in place of `process.exit`. */
class Exit extends Error {}

interface Running {
  stdout: string;
  stderr: string;
  /** Null until it ends itself. */
  code: number | null;
  onExit(): void;
}

const running = new AsyncLocalStorage<Running>();
let installed = false;
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a `decider` command in this process, which takes a tenth of the time of a process of its own: for tests of what a
 * command does, prints and returns. Not for signals, closed outputs or the server. One command runs at a time;
 * `environment` replaces all variables of decider.
 */
export function runHere(args: readonly string[], environment: Record<string, string>): Promise<Ended> {
  const run = last.then(() => alone(args, environment));
  last = run.catch(() => {});
  return run;
}

async function alone(args: readonly string[], environment: Record<string, string>): Promise<Ended> {
  if (!installed) install();
  installed = true;
  const restore = [setVariables(environment), setNoTerminal(), keepListeners()];
  try {
    const command: Running = { stdout: '', stderr: '', code: null, onExit: () => {} };
    const exited = new Promise<void>((resolve) => {
      command.onExit = resolve;
    });
    await running.run(command, () => Promise.race([exited, parse(args)]));
    command.code ??= Number(process.exitCode ?? 0);
    const { code, stdout, stderr } = command;
    return { code, stdout: stdout.replace(/\r?\n$/, ''), stderr };
  } finally {
    for (const each of restore.reverse()) each();
  }
}

async function parse(args: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
  }
}

function setVariables(environment: Record<string, string>): () => void {
  const before = { ...process.env };
  for (const name of Object.keys(before)) if (name.startsWith('DECIDER_')) delete process.env[name];
  Object.assign(process.env, environment);
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  };
}

function setNoTerminal(): () => void {
  const streams = [process.stdout, process.stderr];
  const before = streams.map(({ isTTY }) => isTTY);
  for (const stream of streams) stream.isTTY = false;
  return () => {
    for (const [at, stream] of streams.entries()) stream.isTTY = before[at] as boolean;
  };
}

/** A process of its own would end with the listeners of a command, such as for signals. */
function keepListeners(): () => void {
  const listened: ReadonlyArray<[EventEmitter, string]> = [
    [process, 'SIGINT'],
    [process, 'SIGTERM'],
    [process, 'exit'],
  ];
  const kept = listened.map(([emitter, event]) => ({ emitter, event, before: emitter.listeners(event) }));
  const status = process.exitCode;
  return () => {
    process.exitCode = status;
    for (const { emitter, event, before } of kept) {
      for (const listener of emitter.listeners(event)) {
        if (!before.includes(listener)) emitter.removeListener(event, listener as () => void);
      }
    }
  };
}

/** Stays installed: what a command does after its end must not end this process, nor be written. */
function install(): void {
  const { exit } = process;
  process.exit = (code) => {
    const command = running.getStore();
    if (command === undefined) return exit(code);
    command.code ??= Number(code ?? process.exitCode ?? 0);
    command.onExit();
    throw new Exit();
  };
  for (const name of ['stdout', 'stderr'] as const) capture(name);
}

/** tap writes to standard output meanwhile: only what the command itself writes is kept from it. */
function capture(name: 'stdout' | 'stderr'): void {
  const stream = process[name];
  const { write } = stream;
  stream.write = ((chunk: string | Uint8Array, ...more: unknown[]) => {
    const command = running.getStore();
    if (command === undefined) return Reflect.apply(write, stream, [chunk, ...more]);
    if (command.code === null) command[name] += Buffer.from(chunk as string).toString();
    const done = more.at(-1);
    if (typeof done === 'function') process.nextTick(done as () => void);
    return true;
  }) as typeof stream.write;
}
