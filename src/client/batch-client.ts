import type { Static } from 'typebox';
import { LIMITS } from '../api/index.js';
import type { BatchListSchema, BatchSchema, SubmitResponseSchema } from '../openapi/index.js';

export type BatchObject = Static<typeof BatchSchema>;
export type SubmittedBatch = Static<typeof SubmitResponseSchema>;

/** The server's refusal: its status, and the body of contract 2.9. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';

  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
    /** The invalid lines of a batch file that are listed. */
    readonly lines: ReadonlyArray<{ readonly line: number; readonly type: string; readonly error: string }>,
  ) {
    super(message);
  }
}

export interface SubmitOptions {
  readonly webhook?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** The batch interface of a server, over HTTP. Every call rejects with ServiceError, or with what fetch says. */
export class BatchClient {
  /** `url`: of the base endpoint. */
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

  /** All batches of the key, oldest first: asked for in pages, so that a long list holds up nobody. */
  async list(): Promise<BatchObject[]> {
    const all: BatchObject[] = [];
    for (let more: boolean | undefined = true; more; ) {
      const after = all.at(-1)?.id;
      const query = new URLSearchParams({ limit: String(LIMITS.batchesListed), ...(after && { after }) });
      const page: Static<typeof BatchListSchema> = await this.json(`?${query}`);
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

  /** The results as they arrive: JSON Lines, cut anywhere. */
  async results(id: string): Promise<AsyncIterable<Uint8Array>> {
    const { body } = await this.ask(`/${encodeURIComponent(id)}/results`);
    if (body === null) throw new Error('the answer has no body');
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

/** A proxy in between may answer anything. */
function refusalOf(status: number, text: string): ServiceError {
  try {
    const { error, type, errors } = JSON.parse(text) as Record<string, unknown>;
    if (typeof error === 'string' && typeof type === 'string') {
      return new ServiceError(status, type, error, Array.isArray(errors) ? errors : []);
    }
  } catch {
    // Not JSON: said below.
  }
  return new ServiceError(status, 'unknown', `The server answered ${status}.`, []);
}
