import { ERRORS, type ErrorType } from '../../../src/api/index.js';
import type { Reply, Sending, Service } from './service.js';
import { ASK } from './suite.js';

/** A task of one question. */
export const TASK = { questions: ASK };

/** The calls about the tasks of one key. */
export function tasksOf({ get, post }: Service, token: string) {
  const path = (name: string) => `/v1/tasks/${name}`;
  return {
    put: (name: string, body: unknown, sending: Sending = {}): Promise<Reply> =>
      post(body, { path: path(name), method: 'PUT', token, ...sending }),
    show: (name: string) => get(path(name), { token }),
    list: () => get('/v1/tasks', { token }),
    delete: (name: string) => get(path(name), { token, method: 'DELETE' }),
    fit: (name: string) => post('', { path: `${path(name)}/fit`, token }),
    label: (name: string, ...lines: readonly object[]): Promise<Reply> =>
      post(lines.map((line) => JSON.stringify(line)).join('\n'), { path: `${path(name)}/labels`, token }),
    decide: (name: string, body: unknown, sending: Sending = {}): Promise<Reply> =>
      post(body, { path: `${path(name)}/decide`, token, ...sending }),
  };
}

/** Whether a reply is an error without further fields. */
export const isRefusal = ({ status, json }: Reply, type: ErrorType) =>
  status === ERRORS[type].status && json.type === type && Object.keys(json).length === 2;
