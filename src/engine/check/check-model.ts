import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { CatalogBuild } from '../models/catalog.js';
import { ModelError } from '../models/manifest.js';
import type { CheckReport, CheckTask, ModelFacts } from './messages.js';

/** Limits of the process that checks a model. */
export interface CheckLimits {
  readonly milliseconds: number;
  /** Of private memory. */
  readonly dataBytes: number;
}

/** Time limit: a base for the process itself, plus reading the files at 20 MB/s. */
const CHECK_MS_BASE = 30_000;
const CHECK_BYTES_PER_MS = 20_000;
/** Memory limit: a base for Node and llama.cpp, plus copies of weights that a backend rearranges. */
const CHECK_DATA_BYTES_BASE = 2 << 30;
const CHECK_DATA_PER_FILE_BYTE = 2;
/** JavaScript heap: a template may build an endless array. */
const CHECK_HEAP_MEBIBYTES = 1_024;
/** Each thread's stack counts 8 MiB towards the memory limit, and a check computes little. */
const CHECK_THREADS_MAX = 16;
/** How much of the end of its output is kept. */
const CHECK_OUTPUT_CHARACTERS_MAX = 1 << 20;

const SHELL = '/bin/sh';
const PROCESS_FILE = fileURLToPath(new URL('./check-process.js', import.meta.url));

/**
 * Opens a build in a child process with bounded time and memory, and uses it as a server would: vocabulary, templates,
 * one wave, and two images if it reads images. llama.cpp aborts its process on a failed assertion, which a damaged or
 * hostile file can cause; here only the child ends. Throws ModelError (one line with the file and the reason), or the
 * signal's reason.
 */
export async function checkModel(
  asked: CheckTask,
  stop?: AbortSignal,
  limits: CheckLimits = limitsOf(asked.build),
): Promise<ModelFacts> {
  stop?.throwIfAborted();
  const task = { ...asked, threads: Math.min(asked.threads, CHECK_THREADS_MAX) };
  const child = startChild(task, limits);
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
      throw notStarted(task, error);
    });
    const [said, reported] = await Promise.all([lastOf(errors), lastOf(reports), ended]);
    stop?.throwIfAborted();
    return verdict(task, child, reported, said, late ? limits.milliseconds : null);
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', end);
  }
}

/** Throws ModelError where no process can be started, such as without free file descriptors. */
function startChild(task: CheckTask, limits: CheckLimits): ChildProcess {
  let child: ChildProcess;
  try {
    child = start(task, limits);
  } catch (error) {
    throw notStarted(task, error);
  }
  if (child.stdio !== undefined) return child;
  // Node gives a child that it could not spawn no pipes, and reports why with an event.
  child.on('error', () => {});
  throw notStarted(task, new Error('too few file descriptors or processes are free'));
}

function notStarted({ build }: CheckTask, error: unknown): ModelError {
  return new ModelError(
    `${build.path}: no process could be started to check it: ${(error as Error).message}`,
  );
}

function start(task: CheckTask, limits: CheckLimits): ChildProcess {
  const node = [process.execPath, `--max-old-space-size=${CHECK_HEAP_MEBIBYTES}`, PROCESS_FILE];
  // Only a shell can set resource limits; in an image without one only the time limit applies.
  const bounded = existsSync(SHELL)
    ? [SHELL, '-c', `${ulimits(task, limits)}exec "$@"`, 'sh', ...node]
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
function ulimits({ device, threads }: CheckTask, { milliseconds, dataBytes }: CheckLimits): string {
  const limits = [`-t ${Math.ceil(milliseconds / 1_000) * (threads + 1)}`];
  // GPU libraries reserve large amounts of address space.
  if (device === '') limits.push(`-d ${Math.ceil(dataBytes / 1_024)}`);
  return limits.map((each) => `(ulimit ${each}) 2>/dev/null && ulimit ${each}; `).join('');
}

function limitsOf({ path, projector }: CatalogBuild): CheckLimits {
  const bytes = sizeOf(path) + (projector === null ? 0 : sizeOf(projector.path));
  return {
    milliseconds: CHECK_MS_BASE + bytes / CHECK_BYTES_PER_MS,
    dataBytes: CHECK_DATA_BYTES_BASE + bytes * CHECK_DATA_PER_FILE_BYTE,
  };
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

async function lastOf(stream: Readable): Promise<string> {
  let text = '';
  stream.setEncoding('utf8');
  for await (const piece of stream) text = (text + piece).slice(-CHECK_OUTPUT_CHARACTERS_MAX);
  return text;
}

function verdict(
  { build }: CheckTask,
  { signalCode, exitCode }: ChildProcess,
  reported: string,
  said: string,
  lateMs: number | null,
): ModelFacts {
  const lines = reported.split('\n').slice(0, -1);
  let at = build.path;
  for (const line of lines) {
    const report: CheckReport = JSON.parse(line);
    if ('facts' in report) return report.facts;
    if ('error' in report) throw new ModelError(oneLine(report.error));
    at = report.at;
  }
  if (lateMs !== null)
    throw new ModelError(`${at}: its check takes more than ${Math.round(lateMs / 1_000)} s`);
  const ending = signalCode === 'SIGKILL' ? 'SIGKILL, possibly for lack of memory' : signalCode;
  const reason = lastWords(said) ?? ending ?? `status ${exitCode}`;
  throw new ModelError(`${at}: loading it ended the checking process: ${oneLine(reason)}`);
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
const oneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
