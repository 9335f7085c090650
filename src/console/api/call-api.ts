import { BatchCalls, DeciderError, HttpCalls, systemRuntime } from '../../client/index.js';
import type { Batch } from './api-types.js';
import { CallError, UNREACHABLE } from './error.js';
import { sendWithProgress } from './send-with-progress.js';

/** A response with its body read as JSON, and its headers. */
export interface Reply<Body> {
  readonly body: Body;
  readonly headers: Headers;
}

interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: Blob | string | FormData;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Called with the part of the body that has been sent, 0 to 1. */
  readonly onSent?: (part: number) => void;
}

/** Calls of the operator can take as long as models load. */
const TIMEOUT_MS = 24 * 60 * 60 * 1_000;
/** A download of results goes on after so many lost connections without a further line. */
const DOWNLOAD_RETRIES = 2;

/** Calls the server that served this page, with a key or the operator's token. A person decides what is sent again. */
export class Api {
  constructor(
    readonly key: string,
    /** Called with every refusal of the key. */
    private readonly onRefusedKey: (error: CallError) => void,
  ) {}

  /** Rejects with CallError, or with the reason of the signal if it aborts. */
  async json<Body>(path: string, { onSent, ...call }: CallOptions = {}): Promise<Reply<Body>> {
    try {
      const { body, info } = await this.calls(0, onSent).json<Body>({
        ...call,
        path,
        repeatable: 'unanswered',
      });
      return { body, headers: info.headers };
    } catch (error) {
      throw this.shown(error);
    }
  }

  /** A response as text: read as JSON, the names of an object would lose their order. Rejects as `json` does. */
  async text(path: string, { onSent, ...call }: CallOptions = {}): Promise<string> {
    try {
      const { response, deadline, failure } = await this.calls(0, onSent).open({
        ...call,
        path,
        repeatable: 'unanswered',
      });
      try {
        const text = await response.text();
        // That of a proxy may be a page.
        JSON.parse(text);
        return text;
      } catch (error) {
        throw failure(error);
      } finally {
        deadline.end();
      }
    } catch (error) {
      throw this.shown(error);
    }
  }

  /** The results of a batch as a file. Rejects as `json` does. */
  async results(batch: Pick<Batch, 'id' | 'lines'>): Promise<Blob> {
    const lines: string[] = [];
    try {
      for await (const line of new BatchCalls(this.calls(DOWNLOAD_RETRIES)).resultLines(batch)) {
        lines.push(`${line}\n`);
      }
    } catch (error) {
      throw this.shown(error);
    }
    return new Blob(lines, { type: 'application/jsonl' });
  }

  /** Throws DeciderError if the key cannot be sent. */
  private calls(retries: number, onSent?: (part: number) => void): HttpCalls {
    const url = new URL('.', document.baseURI).href;
    const send: typeof fetch = (to, request) =>
      sendWithProgress(String(to), request ?? {}, onSent ?? (() => {}));
    const runtime = onSent === undefined ? systemRuntime : { ...systemRuntime, fetch: send };
    try {
      return new HttpCalls({ url, token: this.key, retries, timeoutMs: TIMEOUT_MS }, runtime);
    } catch {
      throw new DeciderError('unauthorized', 'It has characters that no key has.', { status: 401 });
    }
  }

  private shown(error: unknown): unknown {
    if (!(error instanceof DeciderError)) return error;
    const { status, type, message, retryAfterSeconds, requestId, lines, invalidLines, field, questions } =
      error;
    if (status === null) return new CallError(null, UNREACHABLE, 'The server did not answer.');
    const facts = [retryAfterSeconds, requestId, lines, invalidLines, field, questions] as const;
    const refusal = new CallError(status, type, message, ...facts);
    if (type === 'unauthorized') this.onRefusedKey(refusal);
    return refusal;
  }
}
