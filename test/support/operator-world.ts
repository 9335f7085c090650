import { type Test, test } from 'tap';
import { createLog, RecentLines } from '../../src/telemetry/index.js';
import { operatorSend, operatorSettings } from './operator.js';
import { dataFolder, startTestServer } from './server.js';

const QUESTION = JSON.stringify({ state: 'x', questions: { q: { type: 'noul' } } });
export const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;
export const OPERATOR = 'operator:127.0.0.1';
export const ID = /^key_\w{20}$/;

/** A server with an operator listener. */
async function start(t: Test) {
  const recentLines = new RecentLines(() => 0);
  const log = createLog('info', { write: () => {} }, recentLines);
  const environment = { ...(await operatorSettings()), DECIDER_DATA: dataFolder(t) };
  const server = await startTestServer(t, environment, undefined, { log, recentLines });
  const url = server.operatorUrl as string;
  /** The JSON of a response, which must have this status. */
  // biome-ignore lint/suspicious/noExplicitAny: what comes back is what the test is about
  const call = async (status: number, method: string, path: string, body?: unknown): Promise<any> => {
    const response = await operatorSend(url, method, `/api/${path}`, body);
    const json = await response.json();
    t.equal(response.status, status, `${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(json)}`);
    return json;
  };
  /** A refusal: its type and its field, or null. */
  const refused = async (
    [status, type, field]: readonly [number, string, string | null],
    method: string,
    path: string,
    body?: unknown,
  ) => {
    const { error, ...rest } = await call(status, method, path, body);
    t.match(error, /^.+\.$/, 'a sentence');
    t.strictSame(rest, field === null ? { type } : { type, field }, `${method} ${path}`);
  };
  /** The status of a decision with a token. */
  const decide = async (token: string) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const response = await fetch(`${server.url}/v1/decide`, { method: 'POST', headers, body: QUESTION });
    await response.text();
    return response.status;
  };
  return { ...server, log, data: environment.DECIDER_DATA, call, refused, decide };
}
export type World = Awaited<ReturnType<typeof start>>;

export const invalid = (field: string | null) => [400, 'invalid_request', field] as const;
export const missing = (field: string) => [404, 'not_found', field] as const;
export const conflict = (field: string) => [409, 'conflict', field] as const;

/** Tests that run one after the other with one server. */
export const operatorTests = (
  name: string,
  scenarios: Readonly<Record<string, (t: Test, world: World) => Promise<void>>>,
): void =>
  void test(name, async (t) => {
    const world = await start(t);
    for (const [each, scenario] of Object.entries(scenarios))
      await t.test(each, (one) => scenario(one, world));
  });
