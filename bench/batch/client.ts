import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '../http/connection.js';
import type { WatchedServer } from '../loop/server.js';

const POLL_MS = 20;

/** The fields of a batch that the benchmark reads. */
export interface Shown {
  readonly id: string;
  readonly counts: { readonly done: number; readonly failed: number; readonly pending: number };
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

/** Batch and live calls, on one connection at a time. */
export class Client {
  private constructor(
    private readonly server: WatchedServer,
    private connection: Connection,
  ) {}

  static async open(server: WatchedServer): Promise<Client> {
    return new Client(server, await Connection.open(server.port));
  }

  submit(file: Buffer): Promise<Shown> {
    return this.ask('POST', '/v1/batches', file, 'application/jsonl');
  }

  show(id: string): Promise<Shown> {
    return this.ask('GET', `/v1/batches/${id}`);
  }

  cancel(id: string): Promise<Shown> {
    return this.ask('POST', `/v1/batches/${id}/cancel`);
  }

  decide(request: object): Promise<unknown> {
    return this.ask('POST', '/v1/decide', Buffer.from(JSON.stringify(request)), 'application/json');
  }

  async finished(id: string): Promise<Shown> {
    for (;;) {
      const shown = await this.show(id);
      if (shown.finished_at !== null) return shown;
      await sleep(POLL_MS);
    }
  }

  /** The results, in chunks as they arrive. */
  async results(id: string): Promise<AsyncIterable<Uint8Array>> {
    const { port, token } = this.server;
    const response = await fetch(`http://127.0.0.1:${port}/v1/batches/${id}/results`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (!response.ok || response.body === null) throw new Error(`the server answered ${response.status}`);
    return response.body;
  }

  close(): void {
    this.connection.close();
  }

  private async ask<Answer>(method: string, path: string, body?: Buffer, type?: string): Promise<Answer> {
    const head = [
      `${method} ${path} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${this.server.token}`,
      ...(type === undefined ? [] : [`Content-Type: ${type}`]),
      ...(method === 'POST' ? [`Content-Length: ${body?.length ?? 0}`] : []),
      '\r\n',
    ].join('\r\n');
    if (this.connection.closed) this.connection = await Connection.open(this.server.port);
    const answer = await this.connection.ask(Buffer.concat([Buffer.from(head), body ?? Buffer.alloc(0)]));
    return JSON.parse(answer.toString()) as Answer;
  }
}
