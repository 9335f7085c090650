import type { Test } from 'tap';
import { until } from '../until.js';
import type { Reply, Service } from './service.js';
import { ASK } from './suite.js';

/** A line of a batch file; `more` says what is not as usual. */
export const line = (customId: unknown, more: object = {}): string =>
  JSON.stringify({ custom_id: customId, model: 'decider-g-12b', state: 'x', questions: ASK, ...more });

/** Lines `l1`, `l2` and so on. */
export const lines = (count: number, more: object = {}): string[] =>
  Array.from({ length: count }, (_, at) => line(`l${at + 1}`, more));

/** A question that no context window has room for: only the model refuses it. */
export const TOO_LONG = { q: { type: 'noul', instructions: 'word '.repeat(50_000) } };

/** A result line, parsed. */
export interface ResultLine {
  readonly custom_id: string;
  readonly model: string;
  readonly status: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: what comes back is what the test is about
  readonly response?: any;
  readonly error?: { readonly error: string; readonly type: string };
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number; readonly batch: true };
}

export type Sent = string | Uint8Array | readonly string[];

/** The batch interface for one key. */
export class BatchKey {
  constructor(
    private readonly service: Service,
    readonly token: string,
  ) {}

  /** A list of lines is sent as a file that ends with a line feed. */
  submit(file: Sent, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    const body = typeof file === 'string' || file instanceof Uint8Array ? file : `${file.join('\n')}\n`;
    return this.service.post(body, {
      path: '/v1/batches',
      token: this.token,
      headers: { 'content-type': 'application/jsonl', ...headers },
    });
  }

  /** The id of a batch that is taken. */
  async made(file: Sent, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const { status, json, text } = await this.submit(file, headers);
    if (status !== 200) throw new Error(`the batch is refused: ${text}`);
    return json.id;
  }

  list(query = ''): Promise<Reply> {
    return this.get(query);
  }

  show(id: string): Promise<Reply> {
    return this.get(`/${id}`);
  }

  results(id: string, method = 'GET'): Promise<Reply> {
    return this.get(`/${id}/results`, method);
  }

  cancel(id: string): Promise<Reply> {
    return this.get(`/${id}/cancel`, 'POST');
  }

  /** The batch, once its results are there. */
  async finished(id: string): Promise<Reply['json']> {
    let { json } = await this.show(id);
    await until(async () => {
      json = (await this.show(id)).json;
      return json.results_available;
    });
    return json;
  }

  /** The results, once they are there. */
  async collected(id: string): Promise<ResultLine[]> {
    await this.finished(id);
    const { text } = await this.results(id);
    return text
      .split('\n')
      .slice(0, -1)
      .map((each) => JSON.parse(each));
  }

  /** All of it: a batch that is submitted, finished and collected. */
  async answered(file: Sent): Promise<ResultLine[]> {
    return this.collected(await this.made(file));
  }

  private get(path: string, method = 'GET'): Promise<Reply> {
    return this.service.get(`/v1/batches${path}`, { method, token: this.token });
  }
}

/** A key of a workspace of its own, with credit for so many tokens at the live price, which is twice as many lines'. */
export async function newKey(service: Service, workspace: string, tokens?: number) {
  const account = await service.account(workspace, tokens);
  return { ...account, batches: new BatchKey(service, account.token) };
}

/**
 * Lines stay before the engine, so many at one time or a few more, until `service.engine` opens. With the test it does,
 * and every batch that can is finished, so that the next test finds none.
 */
export function hold(t: Test, { engine, allFinished }: Service, room = 1): void {
  engine.hold(room);
  t.teardown(async () => {
    engine.open();
    await until(allFinished);
  });
}

/** Input tokens of the usual line. */
export async function tokensOfLine({ post }: Service): Promise<number> {
  return (await post({ state: 'x', questions: ASK })).json.usage.input_tokens;
}

/** What the lines of a result say: answered, or why not. */
export const outcomes = (results: readonly ResultLine[]): string[] =>
  results.map(({ status, error }) => (status === 200 ? 'answered' : `${error?.type}`));
