import { readFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { shellWord, showTime } from '../base/index.js';
import { type Batch, type BatchCalls, DeciderError, type SubmittedBatch } from '../client/index.js';
import { checkFiles } from './command-files.js';
import { print, printError, printJson } from './output.js';
import { progressBar } from './progress-bar.js';
import { facts, table } from './text-table.js';
import { streamReport } from './whole-output.js';
import {
  type ClientOptions,
  checkHeader,
  type Doubt,
  explainInterrupt,
  fail,
  printLineErrors,
  withClient,
} from './with-client.js';

/** `doubt`: of a command that changes something. */
const withBatches = (
  options: ClientOptions,
  work: (batches: BatchCalls) => Promise<void>,
  doubt: Doubt = () => null,
) => withClient(options, doubt, ({ batches }) => work(batches));

interface WaitOptions extends ClientOptions {
  readonly wait?: boolean;
  readonly out?: string;
}

interface SubmitOptions extends WaitOptions {
  readonly webhook?: string;
  readonly idempotencyKey?: string;
}

/** `decider batches submit`: checks the lines first, so that mistakes cost no upload. */
export const submit = (file: string, options: SubmitOptions) => {
  let submitted = false;
  const work = async (client: BatchCalls) => {
    if (options.out !== undefined && !options.wait) fail('out: give --wait, too.');
    checkFiles({ inputs: { 'the batch': file }, outputs: { out: options.out } });
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
    submitted = true;
    if (!options.wait) return printBatch(batch, options);
    await waitAndCollect(client, batch.id, options, `${batch.id}: ${batch.lines} lines`);
  };
  return withBatches(options, work, () => (submitted ? null : doubtOf(options)));
};

const doubtOf = ({ idempotencyKey }: SubmitOptions): string =>
  idempotencyKey === undefined
    ? 'The batch may have been submitted: look at decider batches list before you run the command again.'
    : 'The batch may have been submitted. Run the command again: with the same key, it makes no second batch.';

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
    checkFiles({ inputs: {}, outputs: { out: options.out } });
    if (!options.wait) return collect(client, id, options);
    // A wrong address or key ends the command now, not after the patience of `wait`.
    await client.show(id);
    await waitAndCollect(client, id, options, null);
  });

/** `decider batches cancel` */
export const cancel = (id: string, options: ClientOptions) =>
  withBatches(
    options,
    async (client) => printBatch(await client.cancel(id), options),
    () => 'The batch may have been cancelled: look at decider batches show.',
  );

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
  else await streamReport(out, lines);
}

async function* terminated(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/**
 * Waits for a batch and writes its results. If a signal or a failure ends the wait, the batch goes on: prints that, and the
 * command that continues.
 *
 * @param note is printed on standard error first; null: nothing
 */
async function waitAndCollect(
  client: BatchCalls,
  id: string,
  options: WaitOptions,
  note: string | null,
): Promise<void> {
  const { url, out } = options;
  let finished = false;
  const again = () => {
    const command = `decider batches results ${shellWord(id)}`;
    const target = out === undefined ? '' : ` --out ${shellWord(out)}`;
    const rest = `${target} --url ${shellWord(url)}`;
    return finished
      ? `${id} has finished. To get its results: ${command}${rest}`
      : `${id} continues on the server. To wait again: ${command} --wait${rest}`;
  };
  explainInterrupt(again);
  // After `explainInterrupt`: a signal may come as soon as the note is printed.
  if (note !== null) printError(note);
  try {
    await waitFor(client, id);
    finished = true;
    await collect(client, id, options);
  } catch (error) {
    const stays = !(error instanceof DeciderError) || error.isTemporary;
    if (stays) printError(again());
    throw error;
  }
}

/** Waits until the batch has results. Draws a progress bar on standard error if that is a terminal. */
async function waitFor(client: BatchCalls, id: string): Promise<void> {
  const bar = await progressBar('{bar} {value}/{total} lines');
  let started = false;
  const onProgress = ({ lines, counts }: Batch) => {
    if (!started) bar.start(lines, 0);
    started = true;
    bar.update(counts.done + counts.failed);
  };
  try {
    await client.wait(id, { onProgress });
  } finally {
    bar.stop();
  }
}
