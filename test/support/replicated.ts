import type { Owner } from './owner.js';
import { PostgresServer } from './postgres-server.js';
import { TcpProxy } from './tcp-proxy.js';

/** Of a primary, so that another standby can be made of a former one. */
const OPTIONS = ['hot_standby=on', 'max_wal_senders=10', 'wal_keep_size=64MB'];

/**
 * A PostgreSQL server with a standby that follows it by streaming replication, and a proxy whose port leads to the primary,
 * also after a failover.
 */
export class Replicated {
  private constructor(
    private readonly t: Owner,
    /** Between clients and the primary. */
    readonly proxy: TcpProxy,
    /** Between the primary and the standby. */
    private readonly stream: TcpProxy,
    public primary: PostgresServer,
    public standby: PostgresServer,
  ) {}

  /** Starts both; ended with the test. */
  static async start(t: Owner): Promise<Replicated> {
    const primary = await PostgresServer.create(OPTIONS);
    t.teardown(() => primary.remove());
    const proxy = await TcpProxy.start(t, primary.port);
    const stream = await TcpProxy.start(t, primary.port);
    const standby = await PostgresServer.standbyOf(primary, stream.port);
    t.teardown(() => standby.remove());
    return new Replicated(t, proxy, stream, primary, standby);
  }

  /** A new database with the tables of this version, at its address behind the proxy. */
  async createDatabase(): Promise<string> {
    const url = await this.primary.createDatabase();
    return url.replace(/:\d+\//, `:${this.proxy.port}/`);
  }

  /** From now on, a commit waits for the standby, or no longer does. */
  async synchronous(isSynchronous: boolean): Promise<void> {
    const names = isSynchronous ? 'standby' : '';
    await this.primary.run(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await this.primary.run('SELECT pg_reload_conf()');
    const expected = isSynchronous ? 'sync' : 'async';
    await this.primary.until(
      `SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = '${expected}'`,
    );
  }

  /** Resolves when the standby has every commit before the call. */
  async caughtUp(): Promise<void> {
    const [now] = await this.primary.run<{ lsn: string }>('SELECT pg_current_wal_flush_lsn()::text AS lsn');
    // Other commits follow: the standby may never have all of them. It applies what it has before it is a primary.
    await this.primary.until(`SELECT 1 FROM pg_stat_replication WHERE flush_lsn >= '${now?.lsn}'::pg_lsn`);
  }

  /** The standby gets no more changes: a failover loses what is committed from now on, if commits do not wait for it. */
  holdStream(): void {
    this.stream.pause();
  }

  releaseStream(): void {
    this.stream.resume();
  }

  /** Kills the primary. The proxy refuses connections until `promote`. */
  async killPrimary(): Promise<void> {
    this.proxy.cut(true);
    await this.primary.stop('immediate');
    this.stream.cut(true);
  }

  /** Makes the standby the primary, to which the proxy leads from now on. There is no standby until `follow`. */
  async promote(): Promise<void> {
    await this.standby.promote();
    await this.primary.remove();
    this.primary = this.standby;
    this.proxy.retarget(this.primary.port);
    this.proxy.cut(false);
  }

  /** Makes another standby. */
  async follow(): Promise<void> {
    this.stream.retarget(this.primary.port);
    this.stream.resume();
    this.stream.cut(false);
    const standby = await PostgresServer.standbyOf(this.primary, this.stream.port);
    this.t.teardown(() => standby.remove());
    this.standby = standby;
  }

  /** Kills the primary and promotes the standby after `gapMs`. */
  async failOver(gapMs = 0): Promise<void> {
    await this.killPrimary();
    await new Promise((resolve) => setTimeout(resolve, gapMs));
    await this.promote();
  }
}
