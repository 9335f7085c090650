import { hostname } from 'node:os';
import { Access } from '../../access/index.js';
import { type Clock, endAll, VERSION } from '../../base/index.js';
import { ClusterDirectory, ClusterLedger, ClusterRateLimits, Session } from '../../cluster/index.js';
import { Database } from '../../postgres/index.js';
import type { Settings } from '../../settings/index.js';
import type { OutageLog } from './outage-log.js';

/** With this many connections, two of them are for heartbeats and polls alone; with fewer, one. */
const TWO_OF_CONNECTIONS = 4;

/** This process as a node of a cluster: its connections, session, directory, ledger and limits. */
export class Node {
  readonly database: Database;
  readonly session: Session;
  readonly directory: ClusterDirectory;
  readonly ledger: ClusterLedger;
  readonly access: Access;
  /** For heartbeats and polls, which must not wait for other statements. */
  private readonly control: Database;
  private readonly limiter: ClusterRateLimits;

  constructor(store: Settings['store'], clock: Clock, outages: OutageLog) {
    const controls = store.connections >= TWO_OF_CONNECTIONS ? 2 : 1;
    this.control = new Database({ ...store, connections: controls });
    this.database = new Database({ ...store, connections: store.connections - controls });
    const { control, database } = this;
    this.session = new Session({
      database: control,
      clock,
      node: { name: hostname(), version: VERSION },
      onError: (error) => outages.failed('the session in the database cannot be extended', error),
    });
    const { session } = this;
    this.directory = new ClusterDirectory({
      database: control,
      clock,
      onError: (error) => outages.failed('keys and workspaces cannot be read from the database', error),
    });
    this.ledger = new ClusterLedger({
      database,
      session,
      random: Math.random,
      onError: (error) => outages.failed('charges cannot be written to the database', error),
    });
    const { directory, ledger } = this;
    this.limiter = new ClusterRateLimits({
      database,
      session,
      directory,
      onError: (error) => outages.failed('the counts of requests cannot be exchanged', error),
    });
    const { limiter } = this;
    this.access = new Access({ directory, ledger, limiter, clock: session.clock });
  }

  /** Rejects with OperatorError, DatabaseUnavailable. */
  async start(): Promise<void> {
    await this.session.start();
    await this.directory.start();
    this.ledger.start();
    this.limiter.start();
  }

  /** Writes the charges, returns the leases and closes the connections. */
  stop(): Promise<void> {
    return endAll([
      () => this.limiter.stop(),
      () => this.ledger.stop(),
      () => this.session.stop(),
      () => this.directory.stop(),
      () => this.disconnect(),
    ]);
  }

  /** Closes the connections of a node that was not started. */
  async disconnect(): Promise<void> {
    await Promise.all([this.database.close(), this.control.close()]);
  }

  /** Why the node may not answer; empty if it may. */
  unreadyReasons(): readonly string[] {
    return this.session.isServing && this.isDirectoryFresh() ? NOTHING : AWAY;
  }

  private isDirectoryFresh(): boolean {
    try {
      this.directory.refresh();
      return true;
    } catch {
      return false;
    }
  }
}

const NOTHING: readonly string[] = [];
const AWAY: readonly string[] = ['The server cannot reach its database.'];
