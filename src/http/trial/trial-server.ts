import { systemClock } from '../../base/index.js';
import type { App, Authorized } from '../app.js';
import { startHttp } from '../start-http.js';
import type { Listener, Transport } from '../transport/transport-types.js';
import { tokenOf } from './trial-messages.js';

const RATES = { limit: { requests: 1, bytes: 1 }, left: { requests: 1, bytes: 1 }, resetMs: 0 };

const CALLER: Authorized = {
  keyId: 'key_trial',
  workspaceId: 'trial',
  keyExpires: 'never',
  allowedModels: null,
  admit: () => {},
  admitFree: () => {},
  rates: () => RATES,
  limits: () => ({}),
  usage: async () => ({}),
  get tasks(): never {
    throw new Error('no attack calls a task');
  },
  batches: null,
  decide: async () => ({ json: '{}', build: 'trial', timing: {} }),
};

/** Listens on a free loopback port as a server does, with an app that answers every decision at once. */
export function listenTrial(transport: Transport, executed: Set<string>): Promise<Listener> {
  const app: App = {
    checkReady: () => {},
    authorize([header = '']) {
      executed.add(tokenOf(header));
      return CALLER;
    },
    serves: () => true,
    models: () => [],
  };
  return startHttp({
    transport,
    host: '127.0.0.1',
    port: 0,
    app,
    clock: systemClock,
    onAccess: () => {},
    onUnexpected: () => {},
  });
}
