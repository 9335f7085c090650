import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { decider } from '../../support/cli.js';
import { ClusterNode } from '../../support/faults/cluster.js';
import { freePort } from '../../support/free-port.js';
import { OPERATOR_TOKEN } from '../../support/operator.js';
import type { Owner } from '../../support/owner.js';
import { dataFolder, modelsFolder } from '../../support/server.js';
import { folderFaults } from './folder-faults.js';
import { nodeFaults } from './node-faults.js';
import { SteppedTime } from './stepped-time.js';
import type { Fault, World } from './world.js';

const LOOK = new URL('./folder-look.js', import.meta.url);

/** One server with a data folder. */
export class FolderWorld implements World {
  // While charges cannot be written, requests are answered 500.
  readonly refusals = [401, 402, 429, 500, 503];
  readonly faults: readonly Fault[];

  private constructor(
    readonly nodes: readonly [ClusterNode],
    readonly token: string,
    private readonly owner: Owner,
    private readonly environment: Readonly<Record<string, string>>,
    time: SteppedTime | null,
  ) {
    this.faults = [...nodeFaults(nodes, []), ...folderFaults(nodes[0], time)];
  }

  static async start(owner: Owner): Promise<FolderWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'decider-models-'));
    owner.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const time = SteppedTime.find(folder);
    const [port, operatorPort] = [await freePort(), await freePort()];
    const environment = {
      DECIDER_DATA: dataFolder(owner),
      DECIDER_MODELS: modelsFolder(folder),
      DECIDER_ENGINE_EXACT: 'true',
      DECIDER_OPERATOR_TOKEN: OPERATOR_TOKEN,
      DECIDER_PORT: String(port),
      DECIDER_OPERATOR_PORT: String(operatorPort),
      ...time?.environment,
    };
    const node = new ClusterNode(owner, 'server', `http://127.0.0.1:${port}`, environment);
    await node.start();
    return new FolderWorld([node], await node.token(), owner, environment, time);
  }

  async settled(): Promise<void> {}

  async look(): Promise<readonly string[]> {
    return this.problems();
  }

  async verify(): Promise<readonly string[]> {
    const { code, stdout, stderr } = await decider(this.owner, ['verify'], this.environment).end();
    const damaged = code === 0 ? [] : [`decider verify ended with ${code}: ${stdout}${stderr}`];
    return [...(await this.problems()), ...damaged];
  }

  private async problems(): Promise<readonly string[]> {
    const [problems] = await once(new Worker(LOOK, { workerData: this.environment.DECIDER_DATA }), 'message');
    return problems as readonly string[];
  }
}
