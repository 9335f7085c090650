import { Pool } from 'undici';
import { requireToken } from '../base/index.js';
import type { LoadRequest, Outcome, Send } from './load-types.js';

const RESPONSE_BYTES_MAX = 4 * 1024 * 1024;
/** What is printed or counted of the `type` of an error body. */
const TYPE = /^[\w.-]{1,64}$/;

/** A response: its status and body. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** A server with the interface of System One or the Decisions API, over HTTP with a bounded number of connections. */
export class HttpTarget {
  private readonly pool: Pool;
  private readonly headers: Record<string, string>;

  /** Throws OperatorError for a token that a header cannot carry. */
  constructor(
    private readonly url: URL,
    token: string | undefined,
    connections: number,
  ) {
    if (token) requireToken(token);
    // The load has timeouts of its own, from the intended start of a request.
    const limits = {
      connect: { timeout: 0 },
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: RESPONSE_BYTES_MAX,
    };
    this.pool = new Pool(url.origin, { connections, pipelining: 1, ...limits });
    this.headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  }

  /** Rejects with the error of the connection. */
  async post(body: Buffer, signal: AbortSignal): Promise<Reply> {
    const path = this.url.pathname;
    const response = await this.pool.request({ path, method: 'POST', headers: this.headers, body, signal });
    return { status: response.statusCode, text: await response.body.text() };
  }

  readonly send: Send = async ({ body }: LoadRequest, signal: AbortSignal) => {
    try {
      return outcomeOf(await this.post(body, signal));
    } catch (error) {
      return { answered: false, status: null, type: codeOf(error) };
    }
  };

  close(): Promise<void> {
    return this.pool.destroy();
  }
}

/** The code of a connection's error, such as `ECONNREFUSED`. */
export function codeOf(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException;
  return TYPE.test(code ?? '') ? (code as string) : name;
}

export function outcomeOf({ status, text }: Reply): Outcome {
  const content = parse(text);
  if (status !== 200) {
    const type = content?.type ?? (Object(content?.error) as { code?: unknown }).code;
    return { answered: false, status, type: typeof type === 'string' && TYPE.test(type) ? type : 'unknown' };
  }
  const { answers, usage } = content ?? {};
  if (typeof answers !== 'object' || answers === null)
    return { answered: false, status, type: 'invalid_response' };
  const tokens = (usage as { input_tokens?: unknown } | undefined)?.input_tokens;
  const inputTokens = Number.isSafeInteger(tokens) ? (tokens as number) : 0;
  return { answered: true, decisions: Object.values(answers).filter(isAnswer).length, inputTokens };
}

/** False for a question of the Decisions API that was not answered. */
const isAnswer = (answer: unknown): boolean => (Object(answer) as { type?: unknown }).type !== 'refusal';

/** A JSON object; null for anything else. */
export function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
