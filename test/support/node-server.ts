import type { Test } from 'tap';
import type { ServerDependencies } from '../../src/server/index.js';
import { dataFolder, startTestServer } from './server.js';

/** The master key of the nodes. */
export const MASTER_KEY = 'ab'.repeat(32);

/** Settings of a node of the cluster over a database. */
export const onDatabase = (url: string): Record<string, string> => ({
  DECIDER_STORE_URL: url,
  DECIDER_MASTER_KEY: MASTER_KEY,
});

/** A whole server as a node of the cluster over a database; see `startTestServer`. */
export const startNode = (
  t: Test,
  url: string,
  models: string,
  environment: Record<string, string> = {},
  own: Partial<ServerDependencies> = {},
) => startTestServer(t, { ...onDatabase(url), DECIDER_DATA: dataFolder(t), ...environment }, models, own);
