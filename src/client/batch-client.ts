import type { XStatic } from 'typebox/schema';
import { LIMITS } from '../api/index.js';
import type { BatchListSchema, BatchSchema, SubmitResponseSchema } from '../openapi/index.js';

export type BatchObject = XStatic<typeof BatchSchema>;
type SubmittedBatch = XStatic<typeof SubmitResponseSchema>;

/** An error response: its status, and its body (contract 2.9). */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';

  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
    /** The invalid lines of a batch file, as far as the response lists them. */
    readonly lines: ReadonlyArray<{ readonly line: number; readonly type: string; readonly error: string }>,
  ) {
    super(message);
  }
}

export interface SubmitOptions {
  readonly webhook?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** A client of the batch interface. Every call rejects with ServiceError, or with the error of `fetch`. */
export class BatchClient {
  /** `url`: the base endpoint. */
  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  async submit(file: Uint8Array<ArrayBuffer>, options: SubmitOptions = {}): Promise<SubmittedBatch> {
    const headers: Record<string, string> = { 'content-type': 'application/jsonl' };
    if (options.webhook !== undefined) headers['service-webhook-url'] = options.webhook;
    if (options.idempotencyKey !== undefined) headers['idempotency-key'] = options.idempotencyKey;
    return this.json('', { method: 'POST', headers, body: file });
  }

  /** All batches of the key, oldest first. Requests one page at a time. */
  async list(): Promise<BatchObject[]> {
    const all: BatchObject[] = [];
    for (let more: boolean | undefined = true; more; ) {
      const after = all.at(-1)?.id;
      const query = new URLSearchParams({ limit: String(LIMITS.batchesListed), ...(after && { after }) });
      const page: XStatic<typeof BatchListSchema> = await this.json(`?${query}`);
      all.push(...page.data);
      more = page.has_more;
    }
    return all;
  }

  show(id: string): Promise<BatchObject> {
    return this.json(`/${encodeURIComponent(id)}`);
  }

  cancel(id: string): Promise<BatchObject> {
    return this.json(`/${encodeURIComponent(id)}/cancel`, { method: 'POST' });
  }

  /** The results as they arrive: JSON Lines, split at arbitrary bytes. */
  async results(id: string): Promise<AsyncIterable<Uint8Array>> {
    const { body } = await this.ask(`/${encodeURIComponent(id)}/results`);
    if (body === null) throw new Error('the response has no body');
    return body;
  }

  private async json<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
    return (await (await this.ask(path, init)).json()) as Answer;
  }

  private async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${this.token}` };
    const response = await fetch(new URL(`/v1/batches${path}`, this.url), { ...init, headers });
    if (response.ok) return response;
    const text = await response.text();
    throw refusalOf(response.status, text);
  }
}

/** The body may be anything if a proxy sent it. */
function refusalOf(status: number, text: string): ServiceError {
  try {
    const { error, type, errors } = JSON.parse(text) as Record<string, unknown>;
    if (typeof error === 'string' && typeof type === 'string') {
      return new ServiceError(status, type, error, Array.isArray(errors) ? errors : []);
    }
  } catch {
    // Not JSON.
  }
  return new ServiceError(status, 'unknown', `The server responded with status ${status}.`, []);
}
