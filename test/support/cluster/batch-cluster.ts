import { randomBytes } from 'node:crypto';
import type { Test } from 'tap';
import { Access, type Caller, type Key, RateLimiter, type Workspace } from '../../../src/access/index.js';
import { ApiError } from '../../../src/api/index.js';
import type { BatchInterface, Page } from '../../../src/batch/index.js';
import { digestFile } from '../../../src/batch/ingest/digest-file.js';
import { ingest } from '../../../src/batch/ingest/ingest.js';
import type { WebhookOutcome } from '../../../src/batch/webhook/webhook-outcome.js';
import { DatabaseBatches } from '../../../src/storage/database/batches/batches.js';
import { openValues } from '../../../src/storage/database/batches/reading/open-values.js';
import { Database } from '../../../src/storage/database/index.js';
import { DatabaseLedger } from '../../../src/storage/database/ledger/ledger.js';
import { Session } from '../../../src/storage/database/session/session.js';
import { DatabaseTasks } from '../../../src/storage/database/tasks/tasks.js';
import { batchTasks, TASK_BOUNDS } from '../batch/batch-tasks.js';
import { fileTools } from '../batch/ingest.js';
import { TestEngine } from '../batch/test-engine.js';
import { PRICE, type ResultLine } from '../batch/world.js';
import { newDatabase } from '../postgres.js';
import { FreezableClock } from './freezable-clock.js';
import { accountOf, addWorkspace } from './nodes.js';

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly counts: { readonly done: number; readonly failed: number; readonly pending: number };
  readonly reason: string | null;
  readonly finished_at: string | null;
  readonly delete_after: string | null;
  readonly webhook_delivery: object | null;
}

interface Listed {
  readonly data: readonly Shown[];
  readonly has_more?: boolean;
}

interface SubmitOptions {
  readonly webhook?: string | null;
  readonly idempotencyKey?: string | null;
}

/** Several nodes in one process over one database, each with an engine that the test controls. */
export class BatchCluster {
  readonly keys = new Map<string, Key>();
  readonly workspaces = new Map<string, Workspace>();
  readonly nodes: ClusterNode[] = [];
  /** The calls of webhooks. */
  readonly called: { readonly address: string; readonly id: string; readonly status: string }[] = [];
  webhook: () => Promise<WebhookOutcome> = async () => 'delivered';
  storedBytesMax = Number.MAX_SAFE_INTEGER;
  workspacePercent = 100;

  private constructor(
    private readonly t: Test,
    readonly url: string,
    readonly database: Database,
    readonly master: Buffer = randomBytes(32),
  ) {}

  /** A cluster without nodes over a database that has data, encrypted with a master key. */
  static over(
    t: Test,
    { url, database, master }: { url: string; database: Database; master: Buffer },
  ): BatchCluster {
    return new BatchCluster(t, url, database, master);
  }

  static async start(t: Test, nodes = 2): Promise<BatchCluster> {
    const { url, database } = await newDatabase(t);
    const cluster = new BatchCluster(t, url, database);
    await cluster.addWorkspace('w');
    for (let at = 0; at < nodes; at += 1) await cluster.node();
    return cluster;
  }

  /** Starts a further node. */
  async node(url = this.url): Promise<ClusterNode> {
    const node = await ClusterNode.start(this, url);
    this.nodes.push(node);
    this.t.teardown(() => node.end());
    return node;
  }

  async addWorkspace(id: string, granted = 10n ** 15n): Promise<void> {
    const { workspace } = await addWorkspace(this.database, id, { granted });
    this.workspaces.set(id, workspace);
  }

  async grant(id: string, amount: bigint): Promise<void> {
    const workspace = this.workspaces.get(id) as Workspace;
    this.workspaces.set(id, { ...workspace, granted: workspace.granted + amount });
    await this.sql('UPDATE workspaces SET granted = granted + $2 WHERE id = $1', [id, amount]);
  }

  /** A new key. `expires`: milliseconds since 1970; null: never. */
  async key(expires: number | null = null, workspace = 'w'): Promise<Key> {
    const id = `key_${String(this.keys.size).padStart(20, '0')}`;
    const key: Key = {
      id,
      workspace,
      name: null,
      digest: id,
      created: 0,
      expires,
      revoked: null,
      rolledTo: null,
    };
    await this.sql(
      `INSERT INTO keys (id, workspace, digest, created, expires, changed) VALUES ($1, $3, $1, 0, $2, 0)`,
      [id, expires, workspace],
    );
    this.keys.set(id, key);
    return key;
  }

  async revoke({ id }: Key): Promise<void> {
    this.keys.set(id, { ...(this.keys.get(id) as Key), revoked: Date.now() });
    await this.sql('UPDATE keys SET revoked = 1 WHERE id = $1', [id]);
  }

  sql<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.database.query<Row>({ name: '', text }, values);
  }

  /** How many lines of a key were charged. Fails if the ledger of the workspace does not add up. */
  async charged({ id, workspace }: Key): Promise<number> {
    await accountOf(this.t, this.database, workspace);
    const [row] = await this.sql<{ requests: number }>(
      'SELECT coalesce(sum(requests), 0)::int AS requests FROM usage WHERE key = $1',
      [id],
    );
    return row?.requests ?? 0;
  }

  /** Lets the session of a node expire now; another node ends it with its next heartbeat. */
  async expire(node: ClusterNode): Promise<void> {
    await this.sql('UPDATE nodes SET expires = 0 WHERE id = $1', [node.session.id]);
  }
}

/** One node of a cluster. */
export class ClusterNode {
  readonly clock = new FreezableClock();
  readonly engine = new TestEngine(this.clock);
  readonly troubles: string[] = [];
  /** Whether its copy of keys and workspaces is too old for batch lines. */
  isStale = false;
  /** Workspaces as its copy has them until it is updated. */
  readonly outdated = new Map<string, Workspace>();
  readonly session: Session;
  readonly ledger: DatabaseLedger;
  readonly access: Access;
  readonly batches: BatchInterface;
  readonly tasks: DatabaseTasks;
  private ended = false;

  private constructor(
    private readonly cluster: BatchCluster,
    readonly database: Database,
  ) {
    const { clock, engine } = this;
    const onError = (error: unknown) => void this.troubles.push(String(error));
    this.session = new Session({ database, clock, node: { name: 'node', version: '1.0.0' }, onError });
    this.ledger = new DatabaseLedger({ database, session: this.session, random: Math.random, onError });
    const directory = {
      refresh() {},
      keyOfDigest: () => undefined,
      key: (id: string) => cluster.keys.get(id),
      workspace: (id: string) => this.outdated.get(id) ?? cluster.workspaces.get(id),
    };
    const { ledger, session } = this;
    this.access = new Access({
      directory,
      ledger,
      limiter: new RateLimiter(session.clock),
      clock: session.clock,
    });
    const tools = fileTools();
    const masterKey = () => cluster.master;
    this.tasks = new DatabaseTasks({ database, session, masterKey, clock: session.clock, onError });
    this.tasks.start(TASK_BOUNDS);
    this.batches = new DatabaseBatches({
      database,
      masterKey,
      session,
      access: this.access,
      directory: {
        ...directory,
        refresh: () => {
          if (this.isStale) throw new ApiError('overloaded', 'The copy is stale.');
        },
        update: async () => this.outdated.clear(),
      },
      ledger,
      clock: session.clock,
      random: () => 0.5,
      engines: {
        use: (work) =>
          work({
            prepare: (task) => engine.prepare(task),
            engine: (build) => engine.of(build),
            chargeOf: (model, inputTokens) => ({ model, kind: 'batch', inputTokens, price: PRICE }),
          }),
        engine: (model) => engine.of(model),
        notePreparing: () => {},
        knows: (model) => !engine.unknown.has(model),
        mayUse: (model, allowed) => allowed === null || allowed.includes(model),
        priceOf: () => ({ live: 2n * PRICE, batch: PRICE }),
      },
      tasks: batchTasks(this.tasks),
      files: {
        ingest: (task) => ingest(task, tools),
        digest: (task) => digestFile(task),
      },
      open: async (call) => openValues(call),
      webhooks: {
        check: async () => {},
        call: async (address, { id, status }) => {
          cluster.called.push({ address, id, status });
          return cluster.webhook();
        },
      },
      reports: {
        error: (error) => void this.troubles.push(String(error)),
        answered: () => {},
        failed: () => {},
        called: () => {},
      },
      storedBytesMax: () => cluster.storedBytesMax,
      workspacePercent: () => cluster.workspacePercent,
      terms: { currency: 'GBP', dataRegion: 'CANADA-1 (Canada)' },
    });
  }

  static async start(cluster: BatchCluster, url: string): Promise<ClusterNode> {
    const node = new ClusterNode(cluster, new Database({ url, connections: 5, ca: '' }));
    await node.session.start();
    node.ledger.start();
    await node.batches.start();
    return node;
  }

  caller(key: { readonly id: string }): Caller {
    const caller = this.access.holder(key.id);
    if (caller === undefined) throw new Error('no such key');
    return caller;
  }

  async submit(key: Key, file: string, options: SubmitOptions = {}): Promise<string> {
    const { webhook = null, idempotencyKey = null } = options;
    const { signal } = new AbortController();
    const sent = { file: Buffer.from(file), encoding: 'identity', signal } as const;
    const submission = { ...sent, webhook, idempotencyKey };
    return ((await this.batches.submit(this.caller(key), submission)) as Shown).id;
  }

  async show(key: Key, id: string): Promise<Shown> {
    return (await this.batches.show(this.caller(key), id)) as Shown;
  }

  async list(key: Key, page: Partial<Page> = {}): Promise<Listed> {
    const list = await this.batches.list(this.caller(key), { limit: null, after: null, ...page });
    return JSON.parse(typeof list === 'string' ? list : await textOf(list)) as Listed;
  }

  async cancel(key: Key, id: string): Promise<Shown> {
    return (await this.batches.cancel(this.caller(key), id)) as Shown;
  }

  /** The results as they are downloaded. */
  async text(key: Key, id: string): Promise<string> {
    const { pieces, collected } = await this.batches.results(this.caller(key), id);
    const text = await textOf(pieces);
    collected();
    return text;
  }

  async results(key: Key, id: string): Promise<ResultLine[]> {
    const text = await this.text(key, id);
    return text
      .split('\n')
      .slice(0, -1)
      .map((each) => JSON.parse(each) as ResultLine);
  }

  /** Like a process that is killed: no timer fires any more, and its session expires. */
  async kill(): Promise<void> {
    this.clock.freeze();
    await this.cluster.expire(this);
  }

  async end(): Promise<void> {
    if (this.ended) return;
    this.ended = true;
    await this.batches.stop();
    await this.tasks.stop();
    await this.ledger.stop().catch(() => {});
    await this.session.stop().catch(() => {});
    await this.database.close();
  }
}

/** The text of all pieces together. */
async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}
