import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Test } from 'tap';

interface Asked {
  readonly state: unknown;
  readonly questions: Readonly<Record<string, { readonly type: string; readonly criteria?: unknown }>>;
}

/** A request that the stub received and has not answered yet. */
export interface Held {
  readonly body: Asked;
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  /** Sends a System One response, which depends on state and questions only. */
  answer(): void;
  refuse(status: number, body: object, headers?: Readonly<Record<string, string>>): void;
  /** Closes the connection without a response. */
  cut(): void;
}

/**
 * A minimal System One server. `handle` receives each request; it answers by default. Its probabilities are
 * derived from a digest of state and question.
 */
export async function startStub(t: Test, handle: (held: Held) => void = (held) => held.answer()) {
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Asked;
    handle({
      body,
      headers: request.headers,
      path: request.url ?? '',
      answer: () => send(response, 200, answersTo(body)),
      refuse: (status, error, headers = {}) => send(response, status, error, headers),
      cut: () => void request.socket.destroy(),
    });
  });
  // By default, node closes a connection that was unused for 5 seconds, also while the next request is on its way.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function send(response: ServerResponse, status: number, body: object, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function answersTo({ state, questions }: Asked): object {
  const answers = Object.entries(questions).map(([name, question]) => [
    name,
    answerTo(state, name, question),
  ]);
  return {
    model: 'stub-20260101',
    answers: Object.fromEntries(answers),
    usage: { input_tokens: 7, output_tokens: answers.length },
  };
}

function answerTo(state: unknown, name: string, { type, criteria }: Asked['questions'][string]): object {
  const digest = createHash('sha256')
    .update(JSON.stringify([state, name]))
    .digest();
  if (type === 'noul') {
    const p = digest.readUInt16BE() / 65_535;
    return { type, noul: p >= 0.5 ? Math.max(p, 0.8) : Math.min(p, 0.2) };
  }
  const labels = type === 'score' ? Object.keys(criteria as object) : labelsOf(criteria);
  const weights = labels.map((_, index) => 1 + (digest[index % digest.length] as number));
  const sum = weights.reduce((a, b) => a + b, 0);
  return {
    type,
    probabilities: Object.fromEntries(labels.map((label, at) => [label, (weights[at] ?? 0) / sum])),
  };
}

const labelsOf = (criteria: unknown): string[] =>
  Array.isArray(criteria) ? criteria : Object.keys(criteria as object);
