import { METHODS } from 'node:http';
import { type Answer, BadAnswer } from './answers.js';
import { BATCH, bytesOf, type Case, fillIn, packets, type Request, TOKEN } from './case.js';
import { Connection } from './connection.js';
import { judge, judgeRaw } from './oracle.js';
import type { FuzzServer } from './server.js';

/** A request is answered within this; a slow machine is no finding. */
const ANSWER_MS_MAX = 60_000;
/** Bytes that may be half a request get an answer within this, or none. */
const RAW_ANSWER_MS = 120;
/** Either transport drops a connection after 12 seconds at the latest. */
const LEAVE_MS_MAX = 30_000;
const END_MS_MAX = 2_000;
/** Before the servers drop a connection that waits, at 8 seconds. */
const IDLE_MS_MAX = 4_000;

/** What came of a case: answers, and what is wrong; null: nothing. */
export interface Result {
  readonly answers: readonly Answer[];
  readonly wrong: string | null;
}

/** Sends cases to one server, one after another, over one connection while it is kept. */
export class Client {
  private connection: Connection | null = null;

  constructor(
    private readonly server: FuzzServer,
    /** Which of the server's keys. */
    private readonly key: number,
  ) {}

  async send(one: Case): Promise<Result> {
    const token = this.server.tokens[this.key % this.server.tokens.length] as string;
    const bytes = Buffer.from(bytesOf(one));
    fillIn(bytes, TOKEN, token);
    fillIn(bytes, BATCH, this.server.batches.get(token) ?? BATCH);
    try {
      if (one.kind === 'request') return await this.request(one.request, bytes, token);
      return await this.alone(one, bytes);
    } catch (error) {
      this.drop();
      if (error instanceof BadAnswer)
        return { answers: [], wrong: `bytes that are no answer: ${error.message}` };
      // It takes no connections any more before it is seen to have ended.
      const ended = await this.server.endWithin(END_MS_MAX);
      if (ended === null) throw error;
      return { answers: [], wrong: ended };
    }
  }

  drop(): void {
    this.connection?.destroy();
    this.connection = null;
  }

  private async request(request: Request, bytes: Buffer, token: string): Promise<Result> {
    const connection = await this.kept();
    const head = request.method === 'HEAD';
    await connection.send(packets(bytes, request.cuts, bytes.indexOf('\r\n') + 2));
    const outcome = await connection.answer(head, ANSWER_MS_MAX);
    if (outcome.kind !== 'answered') {
      this.drop();
      if (outcome.kind === 'silent') return { answers: [], wrong: 'no answer' };
      const wrong = mayBeReset(request) ? null : 'closed without an answer';
      return { answers: [], wrong: (await this.server.endWithin(END_MS_MAX)) ?? wrong };
    }
    const { answer } = outcome;
    const wrong = judge(answer, head) ?? (connection.left.length > 0 ? 'more than one answer' : null);
    if (wrong !== null || answer.closes || mayClose(request, answer)) this.drop();
    this.remember(request, answer, token);
    return { answers: [answer], wrong };
  }

  private async kept(): Promise<Connection> {
    const { connection } = this;
    if (connection !== null && connection.idleMs < IDLE_MS_MAX) return connection;
    connection?.destroy();
    this.connection = await Connection.open(this.server.port);
    return this.connection;
  }

  /** Over a connection of its own, because it is not known where its requests end. */
  private async alone(one: Exclude<Case, { kind: 'request' }>, bytes: Buffer): Promise<Result> {
    const connection = await Connection.open(this.server.port);
    try {
      if (one.kind === 'leaving') {
        await connection.send([bytes]);
        return { answers: [], wrong: null };
      }
      await connection.send(packets(bytes, one.cuts, 0));
      const answers = await answersTo(connection, bytes);
      const wrong = answers.map(judgeRaw).find((found) => found !== null) ?? null;
      if (wrong !== null || connection.closed) return { answers, wrong };
      return {
        answers,
        wrong: (await connection.leave(LEAVE_MS_MAX)) ? null : 'a connection that does not end',
      };
    } finally {
      connection.destroy();
    }
  }

  private remember({ method, target }: Request, { status, body }: Answer, token: string): void {
    if (status !== 200 || method !== 'POST' || !target.startsWith('/v1/batches')) return;
    const { id } = JSON.parse(body.toString()) as { id: string };
    this.server.batches.set(token, id);
  }
}

/** All that come until it is quiet. */
async function answersTo(connection: Connection, bytes: Buffer): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (;;) {
    try {
      const outcome = await connection.answer(false, RAW_ANSWER_MS);
      if (outcome.kind !== 'answered') return answers;
      answers.push(outcome.answer);
    } catch (error) {
      // The answer to a HEAD was read with a body, which is the beginning of the next.
      if (error instanceof BadAnswer && bytes.includes('HEAD ')) return answers;
      throw error;
    }
  }
}

/** What a connection need not survive, whether its answer says so or not. */
function mayClose({ method, headers, framing }: Request, { status }: Answer): boolean {
  const asked = headers.some(([name]) => ['connection', 'expect', 'upgrade'].includes(name.toLowerCase()));
  return asked || framing === 'chunked' || [411, 413].includes(status) || isNoMethod(method);
}

const isNoMethod = (method: string): boolean => method === 'CONNECT' || !METHODS.includes(method);

/** Whether the connection is closed behind the head: where a body follows, the reset may overtake the answer. */
const mayBeReset = ({ method, framing, body }: Request): boolean =>
  body.length > 0 && (framing === 'chunked' || isNoMethod(method));
