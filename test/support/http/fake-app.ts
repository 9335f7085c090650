import type { App, Authorized } from '../../../src/http/index.js';

/** A caller without limits, batches and decisions, for tests of HTTP alone. `own` replaces fields. */
export const fakeCaller = (own: Partial<Authorized> = {}): Authorized => ({
  keyId: 'key_test',
  workspaceId: 'default',
  keyExpires: 'never',
  allowedModels: null,
  admit: () => {},
  admitFree: () => {},
  rates: () => ({ limit: { requests: 1, bytes: 1 }, left: { requests: 1, bytes: 1 }, resetMs: 0 }),
  limits: () => ({}),
  usage: async () => ({}),
  get tasks(): never {
    throw new Error('the test expects no call about tasks');
  },
  batches: null,
  decide: () => Promise.reject(new Error('the test expects no decision')),
  ...own,
});

/** An app without models. `authorize` returns the caller of a request. */
export const fakeApp = (authorize: App['authorize'], own: Partial<App> = {}): App => ({
  checkReady: () => {},
  authorize,
  serves: () => false,
  models: () => [],
  ...own,
});
