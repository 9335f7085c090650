import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Database, DatabaseUnavailable, migrate } from '../../src/storage/database/index.js';
import { freePort } from './free-port.js';
import { until } from './until.js';

/** Where Debian installs PostgreSQL, by major version. */
const INSTALLED = '/usr/lib/postgresql';
/** How long a start is tried again, and the pause between two attempts. */
const START_PATIENCE_MS = 60_000;
const START_PAUSE_MS = 200;

/** The folder of the newest PostgreSQL's programs; null: none is installed. */
export const programs = existsSync(INSTALLED)
  ? (readdirSync(INSTALLED)
      .sort((one, other) => Number(other) - Number(one))
      .map((version) => join(INSTALLED, version, 'bin'))
      .find((folder) => existsSync(join(folder, 'initdb'))) ?? null)
  : null;

/** PostgreSQL refuses to run as root. */
export const user = process.getuid?.() === 0 && programs !== null ? { uid: idOf('-u'), gid: idOf('-g') } : {};

function idOf(which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }));
}

/** The role `with_password`, if a test creates it, must give its password; the others need none. */
const WITH_PASSWORD = 'host all with_password all scram-sha-256';

/** How a server is stopped: after its transactions, at once, or by SIGKILL. */
const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pg-'));
  chmodSync(folder, 0o711);
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  return folder;
}

/** A PostgreSQL server in a temporary folder, on loopback and on a Unix socket in the folder. */
export class PostgresServer {
  readonly user = 'postgres';
  private shell: ChildProcess | null = null;
  private pid = 0;
  private made = 0;
  private template: Promise<string> | null = null;

  private constructor(
    /** Holds the socket and, in `data`, the cluster. */
    readonly folder: string,
    readonly port: number,
    private readonly options: readonly string[],
  ) {}

  /** Makes a cluster and starts it. `options`: of the server, such as `max_connections=10`. */
  static async create(options: readonly string[] = []): Promise<PostgresServer> {
    if (programs === null) throw new Error('PostgreSQL is not installed');
    const folder = ownFolder();
    const data = join(folder, 'data');
    const made = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    execFileSync(join(programs, 'initdb'), [...made, '--wal-segsize=4'], {
      ...user,
      cwd: folder,
      stdio: 'pipe',
    });
    const access = join(data, 'pg_hba.conf');
    writeFileSync(access, `${WITH_PASSWORD}\n${readFileSync(access, 'utf8')}`);
    const server = new PostgresServer(folder, await freePort(), options);
    await server.start();
    return server;
  }

  /**
   * Makes a standby of a server and starts it: a copy that follows the server's changes, read through `port`, until
   * `promote` is called. Its options are those of the server.
   */
  static async standbyOf(primary: PostgresServer, port = primary.port): Promise<PostgresServer> {
    const folder = ownFolder();
    const source = `host=127.0.0.1 port=${port} user=${primary.user} application_name=standby`;
    const copy = ['-D', join(folder, 'data'), '-d', source, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'];
    await promisify(execFile)(join(programs as string, 'pg_basebackup'), copy, { ...user, cwd: folder });
    const server = new PostgresServer(folder, await freePort(), primary.options);
    await server.start();
    return server;
  }

  /** Makes a standby a primary, with the changes that it has. */
  async promote(): Promise<void> {
    // Waiting is not left to the statement, whose time is limited.
    await this.run('SELECT pg_promote(wait => false)');
    await this.until('SELECT 1 WHERE NOT pg_is_in_recovery()');
  }

  /** The address of a database of it, as for `store.url`. */
  url(database = 'postgres', { port = this.port, host = '127.0.0.1', parameters = '' } = {}): string {
    return `postgres://${this.user}@${host}:${port}/${database}${parameters}`;
  }

  /** Starts it, also after a kill: its other processes may need a moment to end. */
  async start(): Promise<void> {
    const end = performance.now() + START_PATIENCE_MS;
    for (;;) {
      const error = await this.tryStart();
      if (error === null) return;
      if (performance.now() > end) throw new Error(`PostgreSQL does not start: ${error}`);
      await new Promise((resolve) => setTimeout(resolve, START_PAUSE_MS));
    }
  }

  /** Stops it and waits for its end. */
  async stop(how: keyof typeof SIGNALS = 'fast'): Promise<void> {
    const { shell } = this;
    if (shell === null) return;
    this.shell = null;
    const ended = once(shell, 'exit');
    process.kill(this.pid, SIGNALS[how]);
    await ended;
    shell.stdin?.end();
  }

  /** Stops it and removes its folder. */
  async remove(): Promise<void> {
    await this.stop('immediate');
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Makes a database and returns its address. `migrated`: with the tables of this version. */
  async createDatabase(migrated = true): Promise<string> {
    this.made += 1;
    const name = `test_${this.made}`;
    const template = migrated ? await this.migratedTemplate() : 'template0';
    await this.run(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    return this.url(name);
  }

  /** Executes a statement in the database `postgres`; returns its rows. */
  async run<Row extends object>(text: string): Promise<Row[]> {
    const database = new Database({ url: this.url(), connections: 1, ca: '' });
    try {
      return await database.query<Row>({ name: '', text });
    } finally {
      await database.close();
    }
  }

  /** Resolves when a query of the database `postgres` returns a row. */
  async until(query: string): Promise<void> {
    const database = new Database({ url: this.url(), connections: 1, ca: '' });
    const hasRow = async () => (await database.query({ name: '', text: query })).length > 0;
    // A busy server may not answer in time.
    const ofTime = (error: unknown) => {
      if (error instanceof DatabaseUnavailable) return false;
      throw error;
    };
    try {
      await until(() => hasRow().catch(ofTime));
    } finally {
      await database.close();
    }
  }

  private migratedTemplate(): Promise<string> {
    this.template ??= this.makeTemplate('migrated');
    return this.template;
  }

  private async makeTemplate(name: string): Promise<string> {
    await this.run(`CREATE DATABASE ${name} TEMPLATE template0`);
    const database = new Database({ url: this.url(name), connections: 1, ca: '' });
    await migrate(database);
    await database.close();
    return name;
  }

  /** Null: it accepts connections. Otherwise the last lines of its log. */
  private async tryStart(): Promise<string | null> {
    const settings = ['fsync=off', 'shared_buffers=16MB', 'max_connections=300', 'log_min_messages=warning'];
    const chosen = [...settings, ...this.options].flatMap((option) => ['-c', option]);
    const listening = ['-k', this.folder, '-h', '127.0.0.1', '-p', String(this.port)];
    const command = [
      join(programs as string, 'postgres'),
      '-D',
      join(this.folder, 'data'),
      ...listening,
      ...chosen,
    ];
    // The shell stops it when this process ends, however it ends: then the shell's standard input is closed.
    const watch = '(cat <&3 >/dev/null; kill -QUIT $pid) & watch=$!';
    const script = `exec 3<&0; "$@" </dev/null & pid=$!; echo $pid; ${watch}; wait $pid; kill $watch; exit`;
    const shell = spawn('sh', ['-c', script, 'sh', ...command], { ...user, cwd: this.folder });
    shell.stdin.on('error', () => {});
    const log: string[] = [];
    shell.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => log.splice(0, Math.max(0, log.length - 20), text));
    for await (const line of createInterface({ input: shell.stdout })) {
      this.pid = Number(line);
      break;
    }
    let ended = false;
    shell.once('exit', () => {
      ended = true;
    });
    await until(async () => ended || (await this.answers()));
    if (ended) return log.join('');
    this.shell = shell;
    return null;
  }

  private async answers(): Promise<boolean> {
    return this.run('SELECT 1').then(
      () => true,
      () => false,
    );
  }
}
