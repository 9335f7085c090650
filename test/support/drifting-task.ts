/** Labels of a fit: enough for the promise of the task. */
const LABELS = 40;
/** States that are asked at the same time. */
const AT_ONCE = 16;
/** Different answers: most of the 250 that are compared first, if about 100 usual ones came before them. */
const OTHERS = 300;
/** States of which two are answered differently. */
const STATES = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? 'x'.repeat(at + 1) : { a: at }));

const BODY = {
  questions: { 'secret question': { type: 'noul' } },
  target_error: 0.5,
  confidence: 0.5,
};

interface Answer {
  readonly noul: number;
  readonly accept: boolean | null;
}

interface Asked extends Pick<Answer, 'accept'> {
  readonly reference: string;
  readonly isYes: boolean;
}

/** A task of a server, over HTTP, whose answers change when a test wants it. */
export class DriftingTask {
  private usual: unknown;
  private other: unknown;
  private isYes = false;

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  /** The same task, of the server that was started again. */
  at(url: string): DriftingTask {
    return Object.assign(new DriftingTask(url, this.token), {
      usual: this.usual,
      other: this.other,
      isYes: this.isYes,
    });
  }

  /** Makes the task, and finds two states that are answered differently. */
  async make(): Promise<void> {
    await this.call('', { method: 'PUT', body: JSON.stringify(BODY) });
    [this.usual] = STATES;
    this.isYes = (await this.ask(this.usual)).isYes;
    for (const state of STATES) {
      this.other = state;
      if ((await this.ask(state)).isYes !== this.isYes) return;
    }
    throw new Error('all states are answered alike');
  }

  /** Labels usual answers as right, and fits the task to them. */
  async fit(): Promise<void> {
    await this.label(await this.askUsual(LABELS), this.isYes);
    await this.call('/fit', { method: 'POST' });
  }

  askUsual(count: number): Promise<Asked[]> {
    return this.askMany(this.usual, count);
  }

  /** Asks what is answered differently. */
  async drift(): Promise<void> {
    await this.askMany(this.other, OTHERS);
  }

  /** Labels accepted answers as wrong. */
  async wrong(count: number): Promise<void> {
    const answers = await this.askUsual(count);
    await this.label(
      answers.filter(({ accept }) => accept === true),
      !this.isYes,
    );
  }

  // biome-ignore lint/suspicious/noExplicitAny: what comes back is what the test is about
  async show(): Promise<any> {
    return this.call('', {});
  }

  /** The types of its warnings. */
  async warnings(): Promise<string[]> {
    const { warnings } = await this.show();
    return warnings.map(({ type }: { type: string }) => type);
  }

  private async askMany(state: unknown, count: number): Promise<Asked[]> {
    const answers: Asked[] = [];
    let left = count;
    const worker = async () => {
      while (left > 0) {
        left -= 1;
        answers.push(await this.ask(state));
      }
    };
    await Promise.all(Array.from({ length: Math.min(count, AT_ONCE) }, worker));
    return answers;
  }

  private async ask(state: unknown): Promise<Asked> {
    const response = await this.send('/decide', { method: 'POST', body: JSON.stringify({ state }) });
    const { answers } = (await response.json()) as { answers: Record<string, Answer> };
    const { noul, accept } = answers['secret question'] as Answer;
    return { reference: response.headers.get('x-request-id') as string, isYes: noul >= 0.5, accept };
  }

  private async label(answers: readonly Asked[], isYes: boolean): Promise<void> {
    const lines = answers.map(({ reference }) =>
      JSON.stringify({ request_id: reference, expected: { 'secret question': isYes } }),
    );
    await this.call('/labels', { method: 'POST', body: lines.join('\n') });
  }

  private async call(path: string, init: RequestInit): Promise<unknown> {
    return (await this.send(path, init)).json();
  }

  private async send(path: string, init: RequestInit): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    const response = await fetch(`${this.url}/v1/tasks/secret-task${path}`, { headers, ...init });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  }
}
