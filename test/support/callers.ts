import { request } from 'node:http';
import type { Test } from 'tap';
import { BYTES_PER_MINUTE_MAX, REQUESTS_PER_MINUTE_MAX } from '../../src/access/workspaces.js';
import { systemClock } from '../../src/base/index.js';
import type { ServerDependencies } from '../../src/server/index.js';
import { openStore } from '../../src/storage/folder/index.js';
import { changeWorkspace, createKey, createWorkspace, grantCredit } from './access/folder-changes.js';
import { dataFolder, startTestServer } from './server.js';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

type Headers = Readonly<Record<string, string>>;

/** A caller with a key of a workspace of its own. */
export interface TestCaller {
  readonly token: string;
  post(path: string, body: Uint8Array | string, headers?: Headers): Promise<Answer>;
  get(path: string): Promise<Answer>;
}

/** A server, and callers of different workspaces whose credit and limits per minute do not end. */
export async function startForCallers(
  t: Test,
  environment: Readonly<Record<string, string>>,
  own: Partial<ServerDependencies> = {},
) {
  const data = dataFolder(t);
  const server = await startTestServer(t, { DECIDER_DATA: data, ...environment }, undefined, own);
  const store = openStore(data);
  t.teardown(() => store.close());
  const port = Number(new URL(server.url).port);
  const caller = (workspace: string): TestCaller => {
    createWorkspace(store, systemClock, workspace);
    grantCredit(store, systemClock, workspace, 10n ** 14n);
    changeWorkspace(store, systemClock, workspace, {
      requestsPerMinute: REQUESTS_PER_MINUTE_MAX,
      bytesPerMinute: BYTES_PER_MINUTE_MAX,
    });
    const { token } = createKey(store, systemClock, workspace);
    return {
      token,
      post: (path, body, headers = {}) =>
        send(port, token, 'POST', path, body, {
          'content-length': String(Buffer.byteLength(body)),
          ...headers,
        }),
      get: (path) => send(port, token, 'GET', path, '', {}),
    };
  };
  return { server, port, caller };
}

/** Over a connection of its own. */
function send(
  port: number,
  token: string,
  method: string,
  path: string,
  body: Uint8Array | string,
  own: Headers,
) {
  return new Promise<Answer>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': path.includes('batches') ? 'application/jsonl' : 'application/json',
      ...own,
    };
    const sending = request({ port, host: '127.0.0.1', agent: false, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk) => chunks.push(chunk))
        .on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
        )
        .on('error', reject);
    });
    sending.on('error', reject).end(body);
  });
}

export const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[values.length >> 1] as number;
