import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database, DatabaseAdministration, statement } from '../../../src/storage/database/index.js';
import { ClusterNode } from '../../support/faults/cluster.js';
import { freePort } from '../../support/free-port.js';
import { OPERATOR_TOKEN } from '../../support/operator.js';
import type { Owner } from '../../support/owner.js';
import { Replicated } from '../../support/replicated.js';
import { dataFolder, modelsFolder } from '../../support/server.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { databaseFaults } from './database-faults.js';
import { lookAt, restOf } from './database-invariants.js';
import { nodeFaults } from './node-faults.js';
import type { Fault, World } from './world.js';

const NODES = 3;

/** Three nodes over PostgreSQL with a standby. Each node has a proxy of its own to the primary. */
export class ClusterWorld implements World {
  readonly refusals = [401, 402, 429, 503];
  readonly faults: readonly Fault[];

  private constructor(
    readonly nodes: readonly ClusterNode[],
    readonly token: string,
    private readonly replicated: Replicated,
    private readonly databaseName: string,
    proxies: readonly TcpProxy[],
  ) {
    this.faults = [...nodeFaults(nodes, proxies), ...databaseFaults(replicated, databaseName)];
  }

  static async start(owner: Owner): Promise<ClusterWorld> {
    const replicated = await Replicated.start(owner);
    const url = new URL(await replicated.createDatabase());
    await replicated.synchronous(true);
    const folder = mkdtempSync(join(tmpdir(), 'decider-models-'));
    owner.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const shared = {
      DECIDER_MASTER_KEY: randomBytes(32).toString('hex'),
      DECIDER_MODELS: modelsFolder(folder),
      DECIDER_LOG_LEVEL: 'error',
      DECIDER_ENGINE_EXACT: 'true',
      DECIDER_OPERATOR_TOKEN: OPERATOR_TOKEN,
    };
    const nodes: ClusterNode[] = [];
    const proxies: TcpProxy[] = [];
    for (let at = 1; at <= NODES; at += 1) {
      const proxy = await TcpProxy.start(owner, replicated.proxy.port);
      const [port, operatorPort] = [await freePort(), await freePort()];
      url.port = String(proxy.port);
      const own = {
        ...shared,
        DECIDER_STORE_URL: url.href,
        DECIDER_PORT: String(port),
        DECIDER_OPERATOR_PORT: String(operatorPort),
        DECIDER_DATA: dataFolder(owner),
      };
      nodes.push(new ClusterNode(owner, `node ${at}`, `http://127.0.0.1:${port}`, own));
      proxies.push(proxy);
    }
    const [first, ...others] = nodes as [ClusterNode, ...ClusterNode[]];
    await first.start();
    const token = await first.token();
    await Promise.all(others.map((node) => node.start()));
    return new ClusterWorld(nodes, token, replicated, url.pathname.slice(1), proxies);
  }

  settled(): Promise<void> {
    const count = statement('', 'SELECT count(*)::int AS count FROM nodes');
    return this.withDatabase((database) =>
      until(async () => {
        const [row] = await database.query<{ count: number }>(count);
        return row?.count === this.nodes.length;
      }),
    );
  }

  look(): Promise<readonly string[]> {
    return this.withDatabase(lookAt).catch(() => []);
  }

  verify(): Promise<readonly string[]> {
    return this.withDatabase(async (database) => [
      ...(await lookAt(database)),
      ...(await restOf(database)),
      ...(await new DatabaseAdministration(database, 'test').reconcile()).problems.map(String),
    ]);
  }

  private async withDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    const url = this.replicated.primary.url(this.databaseName);
    const database = new Database({ url, connections: 1, ca: '' });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  }
}
