import { CallError, type RefusedLine, UNREACHABLE } from './error.js';
import { sendWithProgress } from './send-with-progress.js';

/** A response with its body read as JSON, and its headers. */
export interface Reply<Body> {
  readonly body: Body;
  readonly headers: Headers;
}

interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly body?: Blob | string | FormData;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Called with the part of the body that has been sent, 0 to 1. */
  readonly onSent?: (part: number) => void;
}

/** Calls the server that served this page, with a key or the operator's token. */
export class Api {
  constructor(
    readonly key: string,
    /** Called with every refusal of the key. */
    private readonly onRefusedKey: (error: CallError) => void,
  ) {}

  /** Rejects with CallError, or with an AbortError if the signal aborts. */
  async json<Body>(path: string, options: CallOptions = {}): Promise<Reply<Body>> {
    const response = await this.response(path, options);
    try {
      return { body: (await response.json()) as Body, headers: response.headers };
    } catch (error) {
      throw unreachable(error);
    }
  }

  /** The response of a call that was not refused. Rejects as `json` does. */
  async response(path: string, options: CallOptions = {}): Promise<Response> {
    const { method = 'GET', body, headers, signal, onSent } = options;
    const request = {
      method,
      headers: { ...headers, authorization: `Bearer ${this.key}` },
      ...(body !== undefined && { body }),
      ...(signal !== undefined && { signal }),
    };
    const url = new URL(path, document.baseURI);
    const sent = onSent ? sendWithProgress(url, request, onSent) : fetch(url, { ...request, ...FETCHED });
    const response = await sent.catch((error) => {
      throw unreachable(error);
    });
    if (response.ok) return response;
    const error = await errorOf(response);
    if (error.type === 'unauthorized') this.onRefusedKey(error);
    throw error;
  }
}

const FETCHED = { cache: 'no-store', credentials: 'omit', redirect: 'error' } as const;

function unreachable(error: unknown): unknown {
  if (error instanceof DOMException && error.name === 'AbortError') return error;
  return new CallError(null, UNREACHABLE, 'The server did not answer.');
}

/** The error of a response (contract 2.9); a proxy may have sent anything else. */
async function errorOf(response: Response): Promise<CallError> {
  const { status, headers } = response;
  const wait = Number(headers.get('retry-after') ?? Number.NaN);
  const id = headers.get('x-request-id');
  const body = await response.json().catch(() => null);
  const { error, type, errors, invalid_lines, field } = (body ?? {}) as Record<string, unknown>;
  if (typeof error !== 'string' || typeof type !== 'string') {
    return new CallError(
      status,
      'unknown',
      `The server, or a proxy before it, answered with status ${status}.`,
    );
  }
  const lines = Array.isArray(errors) ? (errors as RefusedLine[]) : [];
  const count = typeof invalid_lines === 'number' ? invalid_lines : lines.length;
  const named = typeof field === 'string' ? field : null;
  return new CallError(status, type, error, Number.isFinite(wait) ? wait : null, id, lines, count, named);
}
