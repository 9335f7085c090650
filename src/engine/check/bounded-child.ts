import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { Interrupted } from '../../base/index.js';
import { type BuildFiles, bytesOf } from '../models/catalog.js';

/** Limits of a child process that opens a model. */
export interface ChildLimits {
  readonly milliseconds: number;
  /** Limit of private memory; null: none, because GPU libraries reserve large amounts of address space. */
  readonly dataBytes: number | null;
}

/** What a child reported, and how it ended. */
export interface ChildResult {
  /** The complete lines that it wrote to file descriptor 3. */
  readonly lines: readonly string[];
  /** Why it ended: the last words of ggml, C++ or V8, a signal, or its status. One line. */
  readonly ending: string;
  /** Whether its time was over. */
  readonly late: boolean;
}

/** A child process could not be started, such as without free file descriptors. */
export class ChildError extends Error {}

/** Time limit: a base for the process itself, plus reading the files at 20 MB/s. */
const MS_BASE = 30_000;
const BYTES_PER_MS = 20_000;
/** Memory limit: a base for Node and llama.cpp, plus copies of weights that a backend rearranges. */
const DATA_BYTES_BASE = 2 << 30;
const DATA_PER_FILE_BYTE = 2;
/** JavaScript heap: a template may build an endless array. */
const HEAP_MEBIBYTES = 1_024;
/** How much of the end of its output is kept. */
const OUTPUT_CHARACTERS_MAX = 1 << 20;

/** Signals that nothing in the child causes: those that end this program, and those that make a server reload. */
const SENT: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2']);

const SHELL = '/bin/sh';

/** Limits for reading the files of a build on a device; '' is the CPU. */
export function limitsFor(build: BuildFiles, device: string): ChildLimits {
  const bytes = bytesOf(build);
  return {
    milliseconds: MS_BASE + bytes / BYTES_PER_MS,
    dataBytes: device === '' ? DATA_BYTES_BASE + bytes * DATA_PER_FILE_BYTE : null,
  };
}

/**
 * Runs a file of this program in a child process with bounded time and memory, which reads `task` as JSON from standard
 * input and reports lines on file descriptor 3. Its argument is the id of this process, for `endWithParent`. llama.cpp
 * aborts its process on a failed assertion, which a damaged or hostile file can cause; here only the child ends. `threads`:
 * those that compute. Throws ChildError, Interrupted if a signal that was sent ended the child, or the signal's reason.
 */
export async function runBounded(
  file: string,
  task: unknown,
  threads: number,
  limits: ChildLimits,
  stop?: AbortSignal,
): Promise<ChildResult> {
  stop?.throwIfAborted();
  const child = start(file, threads, limits);
  const [, , errors, reports] = child.stdio as unknown as [Writable, null, Readable, Readable];
  const end = () => child.kill('SIGKILL');
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    end();
  }, limits.milliseconds);
  stop?.addEventListener('abort', end);
  try {
    const stdin = child.stdin as Writable;
    // It may end before it has read all.
    stdin.on('error', () => {});
    stdin.end(JSON.stringify(task));
    const ended = once(child, 'close').catch((error) => {
      throw new ChildError((error as Error).message);
    });
    const [said, reported] = await Promise.all([lastOf(errors), lastOf(reports), ended]);
    stop?.throwIfAborted();
    // The same signal to this process may come later.
    const { signalCode } = child;
    if (signalCode !== null && SENT.has(signalCode)) throw new Interrupted(signalCode);
    return { lines: reported.split('\n').slice(0, -1), ending: endingOf(child, said), late };
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', end);
  }
}

function start(file: string, threads: number, limits: ChildLimits): ChildProcess {
  let child: ChildProcess;
  try {
    child = spawnLimited(file, threads, limits);
  } catch (error) {
    throw new ChildError((error as Error).message);
  }
  if (child.stdio !== undefined) return child;
  // Node gives a child that it could not spawn no pipes, and reports why with an event.
  child.on('error', () => {});
  throw new ChildError('too few file descriptors or processes are free');
}

function spawnLimited(file: string, threads: number, limits: ChildLimits): ChildProcess {
  const node = [process.execPath, `--max-old-space-size=${HEAP_MEBIBYTES}`, file, `${process.pid}`];
  // Only a shell can set resource limits; in an image without one only the time limit applies.
  const bounded = existsSync(SHELL)
    ? [SHELL, '-c', `${ulimits(threads, limits)}exec "$@"`, 'sh', ...node]
    : node;
  const [command, ...args] = bounded as [string, ...string[]];
  // The server's settings hold secrets, and NODE_OPTIONS can load other code.
  const inherited = Object.entries(process.env).filter(([name]) => !/^(DECIDER_|NODE_OPTIONS$)/.test(name));
  return spawn(command, args, {
    // Otherwise ggml starts a debugger, if installed, to print a backtrace.
    env: { ...Object.fromEntries(inherited), GGML_NO_BACKTRACE: '1' },
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
  });
}

/** Shell commands that limit CPU time, in case the child outlives its parent, and memory. */
function ulimits(threads: number, { milliseconds, dataBytes }: ChildLimits): string {
  const limits = [`-t ${Math.ceil(milliseconds / 1_000) * (threads + 1)}`];
  if (dataBytes !== null) limits.push(`-d ${Math.ceil(dataBytes / 1_024)}`);
  return limits.map((each) => `(ulimit ${each}) 2>/dev/null && ulimit ${each}; `).join('');
}

async function lastOf(stream: Readable): Promise<string> {
  let text = '';
  stream.setEncoding('utf8');
  for await (const piece of stream) text = (text + piece).slice(-OUTPUT_CHARACTERS_MAX);
  return text;
}

function endingOf({ signalCode, exitCode }: ChildProcess, said: string): string {
  const ending = signalCode === 'SIGKILL' ? 'SIGKILL, possibly for lack of memory' : signalCode;
  return oneLine(lastWords(said) ?? ending ?? `status ${exitCode}`);
}

/** Why the child ended: the assertion, exception or fatal error that ggml, C++ or V8 printed. */
function lastWords(said: string): string | undefined {
  const patterns = [
    /^\S+:\d+: (.+)$/m,
    /^ *what\(\): +(.+)$/m,
    /^(?:FATAL|Fatal) .*?: (.+)$/m,
    /^# (Fatal JavaScript .+)$/m,
  ];
  return patterns.map((pattern) => pattern.exec(said)?.[1]).find((found) => found !== undefined);
}

/** Messages quote the file, so control characters are removed before they reach a terminal. */
export const oneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
