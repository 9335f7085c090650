import { run } from '../cli.js';
import { operatorSend } from '../operator.js';
import type { Owner } from '../owner.js';
import type { Random } from '../random.js';

/** How a write was answered: `may`: it may have been done. */
export type Answered = 'done' | 'refused' | 'failed' | 'may';

/** A write of one of the interfaces. */
export interface Write {
  readonly name: string;
  /** The last statement that its transaction always has. */
  readonly statement: string;
  /** What it changes if it is done, as `changeOf` tells it. '': also nothing, if it was done before. */
  readonly changes: readonly string[];
  make(): Promise<Reply>;
}

export interface Reply {
  readonly answered: Answered;
  /** For messages of tests: the status and the body, or what a command wrote. */
  readonly text: string;
}

interface Places {
  readonly url: string;
  readonly operatorUrl: string;
  /** Headers with the token of a caller. */
  readonly headers: Record<string, string>;
  /** Settings of commands. */
  readonly settings: Record<string, string>;
  readonly workspace: string;
}

const LINES = 20;
const CHANGE = 'change-next';
const GRANTED = '+audit +grant +granted -granted';
const ROLLED = '+audit +key +rolled';

const answeredBy = (status: number): Answered => {
  if (status < 300) return 'done';
  if (status < 500) return 'refused';
  return status === 503 ? 'failed' : status === 502 ? 'may' : 'refused';
};

const replyOf = async (response: Response): Promise<Reply> => {
  const text = await response.text();
  if (response.status === 500) throw new Error(`it was answered 500: ${text}`);
  return { answered: answeredBy(response.status), text: `${response.status} ${text}` };
};

/** Every write of every interface, on objects that earlier ones have made. */
export class Writes {
  private readonly batches: string[] = [];
  private readonly keys: string[] = [];
  private made = 0;

  constructor(
    private readonly t: Owner,
    private readonly places: Places,
    private readonly next: Random,
  ) {}

  /** Makes a batch and a key for the first writes. */
  async prepare(): Promise<void> {
    for (const { make } of [this.submit(null), this.createKey()]) await make();
  }

  all(): Write[] {
    const { workspace } = this.places;
    const key = this.next.pick(this.keys);
    const batch = this.next.pick(this.batches);
    this.made += 1;
    const name = `w${this.made}`;
    const budget = `${this.made}`;
    return [
      this.submit(null),
      this.submit(`once-${this.made}`),
      {
        name: 'cancel',
        statement: 'batch-lock',
        changes: ['+cancelled', ''],
        make: () => this.call('POST', `/v1/batches/${batch}/cancel`),
      },
      this.operate('create workspace', ['+audit +budget +granted +workspace'], 'POST', '/api/workspaces', {
        id: `o${name}`,
      }),
      this.operate('budget', ['+audit +budget -budget'], 'PATCH', `/api/workspaces/${workspace}`, { budget }),
      this.operate('grant', [GRANTED], 'POST', `/api/workspaces/${workspace}/grants`, { amount: '7' }),
      this.createKey(),
      this.operate('roll key', [ROLLED], 'POST', `/api/keys/${key}/roll`, {}),
      this.operate('revoke key', ['+audit +revoked', ''], 'POST', `/api/keys/${key}/revoke`, {}),
      this.command(['+audit +budget +granted +workspace'], 'workspaces', 'create', `c${name}`),
      this.command(['+audit +budget -budget'], 'workspaces', 'budget', workspace, `${this.made}.5`),
      this.command([GRANTED], 'workspaces', 'credit', workspace, '3'),
      this.command(['+audit +key'], 'keys', 'create', '--workspace', workspace),
      this.command([ROLLED], 'keys', 'roll', key),
      this.command(['+audit +revoked', ''], 'keys', 'revoke', key),
    ];
  }

  private submit(idempotencyKey: string | null): Write {
    const body = Array.from({ length: LINES }, (_, at) =>
      JSON.stringify({ custom_id: `l${at}`, state: 'x', questions: { q: { type: 'noul' } }, model: 'tiny' }),
    ).join('\n');
    return {
      name: idempotencyKey === null ? 'submit' : 'submit with a key',
      statement: 'batch-insert',
      changes: ['+batch'],
      make: async () => {
        const headers = idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey };
        const reply = await this.call('POST', '/v1/batches', body, headers);
        this.batches.push(...found(/batch_\w{24}/, reply));
        return reply;
      },
    };
  }

  private createKey(): Write {
    const { workspace } = this.places;
    const write = this.operate('create key', ['+audit +key'], 'POST', '/api/keys', { workspace });
    return {
      ...write,
      make: async () => {
        const reply = await write.make();
        this.keys.push(...found(/key_\w{20}/, reply));
        return reply;
      },
    };
  }

  private operate(
    name: string,
    changes: readonly string[],
    method: string,
    path: string,
    body: object,
  ): Write {
    const make = async () => replyOf(await operatorSend(this.places.operatorUrl, method, path, body));
    return { name: `operator: ${name}`, statement: CHANGE, changes, make };
  }

  private command(changes: readonly string[], ...args: string[]): Write {
    const make = async (): Promise<Reply> => {
      const { code, stdout, stderr } = await run(this.t, args, this.places.settings);
      const text = `${code} ${stdout} ${stderr}`;
      if (code === 0) return { answered: 'done', text };
      if (/^ {4}at /m.test(stderr)) throw new Error(`a command ended with a stack: ${stderr}`);
      return { answered: /may have been made/.test(stderr) ? 'may' : 'failed', text };
    };
    return { name: `decider ${args.slice(0, 2).join(' ')}`, statement: CHANGE, changes, make };
  }

  private async call(method: string, path: string, body = '', own: Record<string, string> = {}) {
    const headers = { ...this.places.headers, 'content-type': 'application/jsonl', ...own };
    return replyOf(await fetch(this.places.url + path, { method, headers, body }));
  }
}

/** What a pattern finds first in the text of a write that was done. */
const found = (pattern: RegExp, { answered, text }: Reply): string[] => {
  const [first] = pattern.exec(text) ?? [];
  return answered === 'done' && first !== undefined ? [first] : [];
};
