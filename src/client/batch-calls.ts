import { type BatchInput, fileOfBatch } from './batch-lines.js';
import { DeciderError } from './client-error.js';
import { pause } from './client-runtime.js';
import type { Batch, BatchLine, BatchResult, Questions, SubmittedBatch } from './client-types.js';
import type { HttpCall, HttpCalls } from './http-calls.js';
import { requireMilliseconds } from './number-options.js';
import { streamLines } from './result-stream.js';

/** Batches of a page of the list, the most that the server sends. */
export const PAGE_BATCHES = 100;
/** How often a batch is looked at while it is waited for. */
const POLL_MS = 1_000;
/** The longest wait between two looks while the server cannot be asked. */
const POLL_MS_MAX = 30_000;
/** The longest wait that a server can ask for while a batch is waited for. */
const RETRY_AFTER_MS_MAX = 60 * 60_000;
/** How long a server may be away while a batch is waited for, from the first failed look on. */
const PATIENCE_MS = 10 * 60_000;

export interface SignalOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface SubmitOptions extends SignalOptions {
  /**
   * Within 24 hours, the same file under the same key is the same batch: a program that was interrupted submits again
   * with its key and goes on. If absent, a new key is made, so that the submission can be sent again after a lost
   * connection.
   */
  readonly idempotencyKey?: string | undefined;
  /** An https address that is called when the batch has finished; see `verifyWebhook`. */
  readonly webhook?: string | undefined;
}

export interface WaitOptions extends SignalOptions {
  /** Called with the batch each time it was looked at. */
  readonly onProgress?: ((batch: Batch) => void) | undefined;
  /** Milliseconds between two looks, 0 to 2,147,483,647. */
  readonly pollMs?: number | undefined;
}

/** A batch, or its id: then the number of its lines is asked for, so that no result is missed. */
type BatchReference = string | Pick<Batch, 'id' | 'lines'>;

interface BatchPage {
  readonly data: Batch[];
  readonly has_more?: boolean;
}

/** The batches of a key. Every call rejects with DeciderError, or with the reason of its signal. */
export class BatchCalls {
  constructor(private readonly calls: HttpCalls) {}

  /** Submits a batch. It is stored when this resolves. */
  async submit(lines: BatchInput, options: SubmitOptions = {}): Promise<SubmittedBatch> {
    const { idempotencyKey = this.calls.runtime.newKey(), webhook, signal } = options;
    const headers = {
      'content-type': 'application/jsonl',
      'idempotency-key': idempotencyKey,
      ...(webhook !== undefined && { 'service-webhook-url': webhook }),
    };
    const body = await fileOfBatch(lines, signal);
    return this.json({ path: '', method: 'POST', headers, body, signal });
  }

  show(id: string, { signal }: SignalOptions = {}): Promise<Batch> {
    return this.json({ path: `/${encodeURIComponent(id)}`, signal });
  }

  /** Cancels a batch. Lines in progress are still answered. */
  cancel(id: string, { signal }: SignalOptions = {}): Promise<Batch> {
    return this.json({ path: `/${encodeURIComponent(id)}/cancel`, method: 'POST', signal });
  }

  /** All batches of the key, oldest first. */
  async *list({ signal }: SignalOptions = {}): AsyncGenerator<Batch, void> {
    let after: string | undefined;
    for (let more: boolean | undefined = true; more; ) {
      const query = new URLSearchParams({ limit: String(PAGE_BATCHES), ...(after && { after }) });
      const page: BatchPage = await this.json({ path: `?${query}`, has: 'data', signal });
      if (!Array.isArray(page.data))
        throw new DeciderError('invalid_response', 'The list of batches is not what this interface sends.');
      yield* page.data;
      after = page.data.at(-1)?.id;
      more = page.has_more === true && after !== undefined;
    }
  }

  /**
   * Resolves when the results of a batch can be collected. Goes on while the server is away, for ten minutes from the first
   * failed look on; waits of more than 30 s that the server asks for do not count. Rejects with TypeError for an interval
   * that cannot be used.
   */
  async wait(id: string, options: WaitOptions = {}): Promise<Batch> {
    const { onProgress, pollMs = POLL_MS, signal } = options;
    requireMilliseconds('pollMs', pollMs, 0);
    const { runtime } = this.calls;
    let awaySince: number | null = null;
    for (let wait = pollMs; ; ) {
      try {
        const batch = await this.show(id, { signal });
        [wait, awaySince] = [pollMs, null];
        onProgress?.(batch);
        if (batch.results_available) return batch;
      } catch (error) {
        const now = runtime.monotonic();
        awaySince ??= now;
        const isAway = error instanceof DeciderError && error.isTemporary;
        if (!isAway || now - awaySince > PATIENCE_MS) throw error;
        const asked = Math.min((error.retryAfterSeconds ?? 0) * 1_000, RETRY_AFTER_MS_MAX);
        wait = Math.max(Math.min(Math.max(wait * 2, POLL_MS), POLL_MS_MAX), asked);
        awaySince += wait - Math.min(wait, POLL_MS_MAX);
      }
      await pause(runtime, wait, signal);
    }
  }

  /** The results of a finished batch in the order of its lines, as they arrive. */
  async *results<Asked extends Questions = Questions>(
    batch: BatchReference,
    options: SignalOptions = {},
  ): AsyncGenerator<BatchResult<Asked>, void> {
    for await (const line of this.resultLines(batch, options)) yield resultOf(line);
  }

  /** As `results`: each as the text that the server sends, without its line feed. */
  resultLines(batch: BatchReference, { signal }: SignalOptions = {}): AsyncGenerator<string, void> {
    const id = typeof batch === 'string' ? batch : batch.id;
    const count = async () => (typeof batch === 'string' ? this.lineCount(id, signal) : batch.lines);
    const path = `v1/batches/${encodeURIComponent(id)}/results`;
    return streamLines(this.calls, { path, repeatable: 'always', signal }, count);
  }

  /**
   * Submits a batch, waits for it, and returns its results as they arrive. Leaving the loop, or aborting the signal, does
   * not cancel the batch.
   */
  async *run<const Asked extends Questions>(
    lines: BatchInput<BatchLine<Asked>>,
    options: SubmitOptions & WaitOptions = {},
  ): AsyncGenerator<BatchResult<Asked>, void> {
    const { id } = await this.submit(lines, options);
    yield* this.results<Asked>(await this.wait(id, options), options);
  }

  /** The lines of a batch; null if the server does not say, because the batch was deleted meanwhile, for example. */
  private async lineCount(id: string, signal: AbortSignal | undefined): Promise<number | null> {
    try {
      return (await this.show(id, { signal })).lines;
    } catch (error) {
      const isAway = !(error instanceof DeciderError) || error.isTemporary;
      if (isAway && (error as DeciderError).type !== 'invalid_response') throw error;
      return null;
    }
  }

  private async json<Body>({ path, ...call }: Omit<HttpCall, 'repeatable'>): Promise<Body> {
    const whole: HttpCall = { has: 'id', ...call, path: `v1/batches${path}`, repeatable: 'always' };
    return (await this.calls.json<Body>(whole)).body;
  }
}

function resultOf<Asked extends Questions>(line: string): BatchResult<Asked> {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new DeciderError('invalid_response', 'A result is not JSON.', { cause });
  }
}
