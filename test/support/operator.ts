import { freePort } from './free-port.js';

/** The token of the operator listener in tests. */
export const OPERATOR_TOKEN = 'op_of-a-test-with-32-characters-or-more';

/** The settings that open an operator listener on a free port. */
export const operatorSettings = async (): Promise<Record<string, string>> => ({
  DECIDER_OPERATOR_PORT: String(await freePort()),
  DECIDER_OPERATOR_TOKEN: OPERATOR_TOKEN,
});

/** A request of the operator to the listener at `url`. */
export const operatorFetch = (url: string, path: string, token = OPERATOR_TOKEN): Promise<Response> =>
  fetch(url + path, { headers: { authorization: `Bearer ${token}` } });

/** A request with a body of JSON. */
export const operatorSend = (url: string, method: string, path: string, body?: unknown): Promise<Response> =>
  fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
