import { createWriteStream, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { connectionCode, showTime, unreachable, visible } from '../base/index.js';
import type { LineFault } from '../batch/index.js';
import { type Batch, type BatchCalls, Decider, DeciderError, type SubmittedBatch } from '../client/index.js';
import { tokenOf } from './arguments.js';
import { type Options, print, printError, printJson, reportError } from './output.js';
import { facts, table } from './text-table.js';

/** What a shell reports for a command that SIGINT ended. */
const INTERRUPTED = 130;

/** Characters that a header carries unchanged. */
const HEADER_TEXT = /^[\x20-\x7e]*$/;
/** System calls whose failure concerns a file of the user. */
const FILE_CALLS = new Set(['open', 'read', 'write', 'close', 'rename']);
/** Errors of a connection that may have been lost after the request was sent. */
const LOST = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

interface ClientOptions extends Options {
  readonly url: string;
  readonly token?: string;
}

interface WaitOptions extends ClientOptions {
  readonly wait?: boolean;
  readonly out?: string;
}

interface SubmitOptions extends WaitOptions {
  readonly webhook?: string;
  readonly idempotencyKey?: string;
}

/** `decider batches submit`: checks the lines first, so that mistakes cost no upload. */
export const submit = (file: string, options: SubmitOptions) =>
  withClient(options, async (client) => {
    const bytes = readFileSync(file);
    if (!(await validate(file, bytes))) process.exit(1);
    const { webhook, idempotencyKey } = options;
    checkHeader('webhook', webhook);
    checkHeader('idempotency-key', idempotencyKey);
    let batch: SubmittedBatch;
    try {
      batch = await client.submit(bytes, { webhook, idempotencyKey });
    } catch (error) {
      if (error instanceof DeciderError) printLineErrors(file, error.lines);
      throw error;
    }
    if (!options.wait) return printBatch(batch, options);
    explainInterrupt(batch.id, options);
    printError(`${batch.id}: ${batch.lines} lines`);
    await waitFor(client, batch.id);
    await collect(client, batch.id, options);
  });

/**
 * Checks a batch file as the server will, except for what only the server knows: its models and what the workspace may
 * use. Prints faults by file and line, as compilers do. False if there are any.
 */
async function validate(file: string, bytes: Buffer): Promise<boolean> {
  const { checkLines } = await import('../batch/index.js');
  const refusal = await checkLines(bytes);
  if (refusal === null) return true;
  printLineErrors(file, refusal.lines);
  printError(visible(`${refusal.type}: ${refusal.message}`));
  return false;
}

/** `cases.jsonl:12: invalid_custom_id: …` */
function printLineErrors(
  file: string,
  lines: ReadonlyArray<Omit<LineFault, 'type'> & { readonly type: string }>,
): void {
  for (const { line, type, error } of lines) printError(visible(`${file}:${line}: ${type}: ${error}`));
}

/** `decider batches list` */
export const list = (options: ClientOptions) =>
  withClient(options, async (client) => {
    const batches: Batch[] = [];
    for await (const batch of client.list()) batches.push(batch);
    if (options.json) return printJson(batches);
    print(
      table(
        ['batch', 'status', 'lines', 'done', 'failed', 'created'],
        batches.map(({ id, status, lines, counts, created_at }) => [
          id,
          status,
          String(lines),
          String(counts.done),
          String(counts.failed),
          showTime(created_at),
        ]),
        ['lines', 'done', 'failed'],
      ),
    );
  });

/** `decider batches show` */
export const show = (id: string, options: ClientOptions) =>
  withClient(options, async (client) => printBatch(await client.show(id), options));

/** `decider batches results` */
export const results = (id: string, options: WaitOptions) =>
  withClient(options, async (client) => {
    if (options.wait) {
      explainInterrupt(id, options);
      // A wrong address or key ends the command now, not after the patience of `wait`.
      await client.show(id);
      await waitFor(client, id);
    }
    await collect(client, id, options);
  });

/** `decider batches cancel` */
export const cancel = (id: string, options: ClientOptions) =>
  withClient(options, async (client) => printBatch(await client.cancel(id), options));

function printBatch(batch: object, { json }: ClientOptions): void {
  if (json) {
    printJson(batch);
    return;
  }
  const rows = Object.entries(batch).map(([name, value]) => [name, shownValue(value)]);
  print(facts(Object.fromEntries(rows)));
}

/** An instant as the interface writes it (contract 2.6). */
const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+\+00:00$/;

/** A value of a batch for people. */
function shownValue(value: unknown): string {
  if (typeof value === 'string' && INSTANT.test(value)) return showTime(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Writes the results of a batch to a file or to standard output. */
async function collect(client: BatchCalls, id: string, { out }: WaitOptions): Promise<void> {
  const lines = terminated(client.resultLines(id));
  if (out === undefined) await pipeline(lines, process.stdout, { end: false });
  else await writeWhole(lines, out);
}

async function* terminated(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** Writes a regular file under another name first and renames it when it is complete. Devices are written directly. */
async function writeWhole(pieces: AsyncIterable<string>, out: string): Promise<void> {
  if (statSync(out, { throwIfNoEntry: false })?.isFile() === false) {
    return pipeline(pieces, createWriteStream(out));
  }
  const part = `${out}.part`;
  const remove = () => rmSync(part, { force: true });
  process.once('exit', remove);
  try {
    // Opened first: a stream that is destroyed while it opens its file would create it after the removal.
    const file = await open(part, 'w');
    await pipeline(pieces, file.createWriteStream());
    renameSync(part, out);
  } finally {
    remove();
  }
}

/** Ctrl-C ends the command, not the batch: says so, and which command waits again for the same results. */
function explainInterrupt(id: string, { url, out }: WaitOptions): void {
  const target = out === undefined ? '' : ` --out ${out}`;
  const again = `decider batches results ${id} --wait${target} --url ${url}`;
  process.once('SIGINT', () => {
    process.once('exit', () => {
      printError(`${id} continues on the server. To wait again: ${again}`);
    });
    process.exit(INTERRUPTED);
  });
}

/** Waits until the batch has results. Draws a progress bar on standard error if that is a terminal. */
async function waitFor(client: BatchCalls, id: string): Promise<void> {
  const { default: progress } = await import('cli-progress');
  const bar = new progress.SingleBar({
    format: '{bar} {value}/{total} lines',
    stream: process.stderr,
    clearOnComplete: true,
  });
  let started = false;
  await client.wait(id, {
    onProgress({ lines, counts }) {
      if (!started) {
        bar.start(lines, 0);
        // Restores the terminal, also after Ctrl-C or an error.
        process.once('exit', () => bar.stop());
      }
      started = true;
      bar.update(counts.done + counts.failed);
    },
  });
  bar.stop();
}

/** Runs a command with a client. Mistakes of the user and refusals of the server print one line; the status is 1. */
function withClient(
  { url, token: given }: ClientOptions,
  work: (client: BatchCalls) => Promise<void>,
): Promise<void> {
  return reportError(async () => {
    const token = tokenOf(given);
    if (token === '') fail('token: give --token, or set DECIDER_TOKEN.');
    checkHeader('token', token);
    if (originOf(url) === null)
      fail('url: not an http or https URL. Give the base endpoint: http://127.0.0.1:8080');
    try {
      await work(new Decider({ url, token }).batches);
    } catch (error) {
      fail(reasonOf(error, url));
    }
  });
}

function reasonOf(error: unknown, url: string): string {
  if (error instanceof DeciderError) return callReason(error, originOf(url) ?? 'the server');
  const { syscall, message } = error as NodeJS.ErrnoException;
  if (FILE_CALLS.has(syscall ?? '')) return `file: ${message}`;
  if (error instanceof TypeError && /^(url|token): /.test(message)) return message;
  throw error;
}

function callReason({ type, status, message, cause }: DeciderError, origin: string): string {
  if (status !== null) return `${type}: ${message}`;
  const code = connectionCode(cause) ?? type;
  if (cause instanceof TypeError && !LOST.has(code)) return unreachable(origin, cause);
  return `url: ${origin} did not complete its response (${code}). A batch may have been submitted or cancelled: look at decider batches list before you run the command again.`;
}

/** Null unless it is a URL of HTTP. The rest of it may hold a password. */
function originOf(url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed.origin : null;
}

function checkHeader(name: string, value = ''): void {
  if (!HEADER_TEXT.test(value)) fail(`${name}: only printable ASCII characters can be sent.`);
}

function fail(message: string): never {
  printError(visible(message));
  process.exit(1);
}
