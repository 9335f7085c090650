import { createWriteStream, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { showTime } from '../base/index.js';
import { type Batch, type BatchCalls, DeciderError, type SubmittedBatch } from '../client/index.js';
import { print, printError, printJson } from './output.js';
import { progressBar } from './progress-bar.js';
import { facts, table } from './text-table.js';
import {
  type ClientOptions,
  checkHeader,
  explainInterrupt,
  fail,
  printLineErrors,
  withClient,
} from './with-client.js';

const DOUBT =
  'A batch may have been submitted or cancelled: look at decider batches list before you run the command again.';

const withBatches = (options: ClientOptions, work: (batches: BatchCalls) => Promise<void>) =>
  withClient(options, DOUBT, ({ batches }) => work(batches));

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
  withBatches(options, async (client) => {
    const bytes = readFileSync(file);
    await requireValid(file, bytes);
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
    explainWait(batch.id, options);
    printError(`${batch.id}: ${batch.lines} lines`);
    await waitFor(client, batch.id);
    await collect(client, batch.id, options);
  });

/**
 * Checks a batch file as the server will, except for what only the server knows: its models and what the workspace may
 * use. Prints faults by file and line, as compilers do, and ends the command if there are any.
 */
async function requireValid(file: string, bytes: Buffer): Promise<void> {
  const { checkLines } = await import('../batch/index.js');
  const refusal = await checkLines(bytes);
  if (refusal === null) return;
  printLineErrors(file, refusal.lines);
  fail(`${refusal.type}: ${refusal.message}`);
}

/** `decider batches list` */
export const list = (options: ClientOptions) =>
  withBatches(options, async (client) => {
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
  withBatches(options, async (client) => printBatch(await client.show(id), options));

/** `decider batches results` */
export const results = (id: string, options: WaitOptions) =>
  withBatches(options, async (client) => {
    if (options.wait) {
      explainWait(id, options);
      // A wrong address or key ends the command now, not after the patience of `wait`.
      await client.show(id);
      await waitFor(client, id);
    }
    await collect(client, id, options);
  });

/** `decider batches cancel` */
export const cancel = (id: string, options: ClientOptions) =>
  withBatches(options, async (client) => printBatch(await client.cancel(id), options));

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
function explainWait(id: string, { url, out }: WaitOptions): void {
  const target = out === undefined ? '' : ` --out ${out}`;
  const again = `decider batches results ${id} --wait${target} --url ${url}`;
  explainInterrupt(() => `${id} continues on the server. To wait again: ${again}`);
}

/** Waits until the batch has results. Draws a progress bar on standard error if that is a terminal. */
async function waitFor(client: BatchCalls, id: string): Promise<void> {
  const bar = await progressBar('{bar} {value}/{total} lines');
  let started = false;
  await client.wait(id, {
    onProgress({ lines, counts }) {
      if (!started) bar.start(lines, 0);
      started = true;
      bar.update(counts.done + counts.failed);
    },
  });
  bar.stop();
}
