import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { type Command, decider, run } from '../cli.js';
import { freePort } from '../free-port.js';
import type { Owner } from '../owner.js';
import { PostgresServer } from '../postgres-server.js';
import { dataFolder, modelsFolder } from '../server.js';
import { until } from '../until.js';

/** What a command prints that found no database: it has changed nothing. */
const NO_CONNECTION = 'The database did not accept a connection in time';
/** For a busy machine. */
const PATIENCE_MS = 120_000;
/** The pause before a node that has ended is started again, in milliseconds. */
const RESTART_MS = 200;
/** A request without an answer fails after this many milliseconds. */
const ASK_MS_MAX = 30_000;

/** A response of a node; null: there was none. */
export type Asked = { readonly status: number; readonly text: string; readonly requestId: string } | null;

/** One node of a cluster: a process of `decider serve` that can be started repeatedly on one port. */
export class ClusterNode {
  /** Whether it has been ready since its last start. */
  isReady = false;
  private command: Command | null = null;
  private life = 0;

  constructor(
    private readonly t: Owner,
    readonly name: string,
    readonly url: string,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /** The address of its operator listener, if it has one. */
  get operatorUrl(): string {
    return `http://127.0.0.1:${this.environment.DECIDER_OPERATOR_PORT}`;
  }

  /** The process of its last start. */
  get process(): ChildProcess | undefined {
    return this.command?.child;
  }

  /** How it ended though nothing has ended it; null: it did not. */
  get ending(): string | null {
    const { exitCode, signalCode } = this.command?.child ?? {};
    return this.isReady && (exitCode ?? signalCode ?? null) !== null ? `${exitCode ?? signalCode}` : null;
  }

  /** Stops it for some milliseconds, as a hang of the host does. */
  async freeze(ms: number): Promise<void> {
    const child = this.command?.child;
    child?.kill('SIGSTOP');
    await sleep(ms);
    child?.kill('SIGCONT');
  }

  /** How often it was started. */
  get lives(): number {
    return this.life;
  }

  /**
   * Starts the process. Starts it again if it ends because the database is unavailable, as a service manager does. Resolves
   * when it is ready, or has been killed meanwhile.
   */
  async start(): Promise<void> {
    this.life += 1;
    const { life } = this;
    let command = decider(this.t, ['serve'], this.environment);
    this.command = command;
    await until(async () => {
      if (this.life !== life || command.child.signalCode === 'SIGKILL') return true;
      if (command.child.exitCode !== null) {
        const { stderr } = await command.end();
        if (!stderr.includes('database')) throw new Error(`${this.name} ended: ${stderr}`);
        await sleep(RESTART_MS);
        if (this.life !== life) return true;
        command = decider(this.t, ['serve'], this.environment);
        this.command = command;
      }
      return (await this.ask('/health'))?.status === 200;
    }, PATIENCE_MS);
    this.isReady = this.life === life && command.child.signalCode === null && command.child.exitCode === null;
  }

  /** The token that its start has printed. */
  async token(): Promise<string> {
    return ((await this.command?.line(/^token: /)) ?? '').slice('token: '.length);
  }

  async kill(): Promise<void> {
    const child = this.command?.child;
    this.isReady = false;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Stops it as an operator does. Returns its exit status, and what it wrote to standard error. */
  async stop(): Promise<{ readonly code: number | null; readonly stderr: string }> {
    this.isReady = false;
    this.command?.child.kill('SIGTERM');
    return (await this.command?.end()) ?? { code: null, stderr: '' };
  }

  /** What a command prints with its settings. */
  async print(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await decider(this.t, args, this.environment).end();
    if (code !== 0) throw new Error(`decider ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  }

  /** One request on a connection of its own. */
  async ask(path: string, init: RequestInit = {}): Promise<Asked> {
    try {
      const signal = AbortSignal.timeout(ASK_MS_MAX);
      const response = await fetch(this.url + path, { signal, ...init });
      const requestId = response.headers.get('x-request-id') ?? '';
      return { status: response.status, text: await response.text(), requestId };
    } catch {
      return null;
    }
  }
}

/** Nodes of a cluster over one PostgreSQL server, and its command line. */
export class Cluster {
  private constructor(
    readonly server: PostgresServer,
    readonly databaseUrl: string,
    readonly nodes: readonly ClusterNode[],
    /** Of the key that the first start made. */
    readonly token: string,
    private readonly t: Test,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /** Starts a database and `count` nodes: the others after the first, which makes the key. All end with the test. */
  static async start(t: Test, count: number): Promise<Cluster> {
    const server = await PostgresServer.create();
    t.teardown(() => server.remove());
    const databaseUrl = await server.createDatabase();
    const environment = {
      DECIDER_STORE_URL: databaseUrl,
      DECIDER_MASTER_KEY: randomBytes(32).toString('hex'),
      DECIDER_MODELS: modelsFolder(t.testdir()),
      // Otherwise an answer depends on what runs beside it.
      DECIDER_ENGINE_EXACT: 'true',
      DECIDER_LOG_LEVEL: 'silent',
    };
    const nodes: ClusterNode[] = [];
    for (let at = 1; at <= count; at += 1) {
      const port = await freePort();
      const own = { ...environment, DECIDER_PORT: String(port), DECIDER_DATA: dataFolder(t) };
      nodes.push(new ClusterNode(t, `node ${at}`, `http://127.0.0.1:${port}`, own));
    }
    const [first, ...others] = nodes as [ClusterNode, ...ClusterNode[]];
    await first.start();
    const token = await first.token();
    await Promise.all(others.map((node) => node.start()));
    t.teardown(() => Promise.all(nodes.map((node) => node.kill())));
    return new Cluster(server, databaseUrl, nodes, token, t, environment);
  }

  get ready(): readonly ClusterNode[] {
    return this.nodes.filter(({ isReady }) => isReady);
  }

  /**
   * What a command prints as JSON. A command that found no database in time has changed nothing and is repeated, until
   * `PATIENCE_MS` have passed. Rejects if it fails.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the test asserts what it prints
  async command(...args: string[]): Promise<any> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const { code, stdout, stderr } = await run(this.t, [...args, '--json'], this.environment);
      if (code === 0) return JSON.parse(stdout);
      if (!stderr.includes(NO_CONNECTION) || performance.now() > end)
        throw new Error(`decider ${args.join(' ')}: ${stdout}${stderr}`);
    }
  }
}
