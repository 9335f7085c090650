import type { TransportName } from '../../src/http/index.js';
import type { Case } from './case.js';
import { BATCH } from './case.js';
import { Client, type Result } from './client.js';
import { type Corpus, generateCase, imageCorpus } from './generators/index.js';
import type { Memory } from './messages.js';
import { mayDiffer, summary } from './oracle.js';
import { FuzzServer } from './server.js';
import { shrink } from './shrink.js';

/** Requests in progress at each server. */
const LANES = 24;
/** One case in so many is sent again, and to the other transport too. */
const REPEATED_ONE_IN = 8;
const FINDINGS_MAX = 5;
/** Where the memory of the servers is measured: when they are warm, in the middle, and at the end. */
const MEASURED_AT = [0.1, 0.5, 1];

export interface CampaignOptions {
  readonly seed: number;
  /** The number of the first case. */
  readonly first: number;
  /** Cases at most. */
  readonly cases: number;
  /** Milliseconds at most. */
  readonly ms: number;
  readonly transports: readonly TransportName[];
  /** Told now and then how many cases are done. */
  readonly onProgress?: (cases: number, ms: number) => void;
}

/** A case that shows a fault. */
export interface Finding {
  readonly number: number;
  readonly transport: TransportName;
  readonly wrong: string;
  /** The smallest that fails alike; the case as it was where it fails only in company. */
  readonly reproduction: Case;
  /** Whether it fails alone. */
  readonly alone: boolean;
}

export interface CampaignResult {
  readonly seed: number;
  readonly cases: number;
  readonly requests: number;
  readonly ms: number;
  readonly findings: readonly Finding[];
  /** How often each answer came, by its summary. */
  readonly answers: ReadonlyMap<string, number>;
  /** Of each server what was measured, in that order. */
  readonly memory: readonly { transport: TransportName; samples: readonly Memory[] }[];
}

/** Sends generated cases to real servers, and judges what comes back. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const corpus = await imageCorpus();
  const servers = await Promise.all(options.transports.map((transport) => FuzzServer.start(transport)));
  try {
    return await new Campaign(options, corpus, servers).run();
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

class Campaign {
  private readonly started = performance.now();
  private readonly answers = new Map<string, number>();
  private readonly findings: Finding[] = [];
  private next: number;
  private done = 0;
  private requests = 0;

  constructor(
    private readonly options: CampaignOptions,
    private readonly corpus: Corpus,
    private readonly servers: readonly FuzzServer[],
  ) {
    this.next = options.first;
  }

  async run(): Promise<CampaignResult> {
    const { cases, seed, ms } = this.options;
    const memory = this.servers.map(({ transport }) => ({ transport, samples: [] as Memory[] }));
    for (const part of MEASURED_AT) {
      await this.lanes(Math.ceil(cases * part), ms * part);
      if (this.servers.some(({ ended }) => ended !== null)) break;
      const samples = await Promise.all(this.servers.map((server) => server.memory()));
      for (const [at, sample] of samples.entries()) memory[at]?.samples.push(sample);
    }
    const took = performance.now() - this.started;
    const { findings, answers, requests, done } = this;
    return { seed, cases: done, requests, ms: took, findings, answers, memory };
  }

  /** Goes on until so many cases are done in all, or so much time is over. */
  private async lanes(cases: number, ms: number): Promise<void> {
    const last = this.options.first + cases;
    const goesOn = () =>
      this.next < last &&
      performance.now() - this.started < ms &&
      this.findings.length < FINDINGS_MAX &&
      this.servers.every(({ ended }) => ended === null);
    const lane = async (index: number) => {
      const clients = this.servers.map((server) => new Client(server, index));
      while (goesOn()) {
        const number = this.next;
        this.next += 1;
        await this.one(number, clients);
        this.done += 1;
        if (this.done % 1_000 === 0) this.options.onProgress?.(this.done, performance.now() - this.started);
      }
      for (const client of clients) client.drop();
    };
    await Promise.all(Array.from({ length: LANES * this.servers.length }, (_, index) => lane(index)));
    for (const server of this.servers) this.checkLog(server);
  }

  private async one(number: number, clients: readonly Client[]): Promise<void> {
    const one = generateCase(this.options.seed, number, this.corpus);
    const at = number % clients.length;
    const first = await this.send(one, clients[at] as Client);
    const wrong = first.wrong ?? (await this.repeated(number, one, first, clients, at));
    if (wrong !== null && this.findings.length < FINDINGS_MAX) await this.found(number, one, wrong, at);
  }

  private async send(one: Case, client: Client): Promise<Result> {
    const result = await client.send(one);
    this.requests += 1;
    for (const answer of result.answers) {
      const name = summary(answer);
      this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
    }
    return result;
  }

  /** Sends one case in a few again, to every transport; null where that makes no difference. */
  private async repeated(
    number: number,
    one: Case,
    first: Result,
    clients: readonly Client[],
    at: number,
  ): Promise<string | null> {
    if (Math.floor(number / clients.length) % REPEATED_ONE_IN > 0 || !isRepeatable(one)) return null;
    for (const [other, client] of clients.entries()) {
      const again = await this.send(one, client);
      const wrong = again.wrong ?? difference(first, again);
      if (wrong !== null) return other === at ? `again: ${wrong}` : `on the other transport: ${wrong}`;
    }
    return null;
  }

  private async found(number: number, one: Case, wrong: string, at: number): Promise<void> {
    const server = this.servers[at] as FuzzServer;
    const finding = { number, transport: server.transport, wrong };
    if (server.ended !== null || this.servers.some(({ ended }) => ended !== null)) {
      this.findings.push({ ...finding, reproduction: one, alone: false });
      return;
    }
    const place = this.findings.push({ ...finding, reproduction: one, alone: false }) - 1;
    const fails = (smaller: Case) => this.failsAlone(smaller, at);
    if (!(await fails(one))) return;
    this.findings[place] = { ...finding, reproduction: await shrink(one, fails), alone: true };
  }

  /** Over connections of its own. */
  private async failsAlone(one: Case, at: number): Promise<boolean> {
    const clients = this.servers.map((server) => new Client(server, at));
    try {
      const first = await (clients[at] as Client).send(one);
      if (first.wrong !== null) return true;
      if (!isRepeatable(one)) return false;
      for (const client of clients) {
        const again = await client.send(one);
        if (again.wrong !== null || difference(first, again) !== null) return true;
      }
      return false;
    } finally {
      for (const client of clients) client.drop();
    }
  }

  /** An error that a server logs is a finding, whoever caused it. */
  private checkLog({ errors, transport, ended }: FuzzServer): void {
    for (const wrong of [...errors.splice(0), ...(ended === null ? [] : [ended])]) {
      const reproduction: Case = { kind: 'raw', bytes: Buffer.alloc(0), cuts: [] };
      this.findings.push({ number: this.next, transport, wrong, reproduction, alone: false });
    }
  }
}

/** Whether the answer depends on the request alone. */
function isRepeatable(one: Case): boolean {
  return (
    one.kind === 'request' &&
    !one.request.target.includes(BATCH) &&
    !one.request.target.includes('/v1/tasks') &&
    !one.request.headers.some(([name]) => name === 'Idempotency-Key')
  );
}

function difference(first: Result, again: Result): string | null {
  const [one, other] = [first.answers[0], again.answers[0]];
  if (one === undefined || other === undefined || mayDiffer(one, other)) return null;
  return summary(one) === summary(other) ? null : `${summary(one)}, then ${summary(other)}`;
}
