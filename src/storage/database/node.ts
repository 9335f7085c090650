import { hostname } from 'node:os';
import { Access, KeyUses } from '../../access/index.js';
import { type Clock, endAll, VERSION } from '../../base/index.js';
import type { Settings } from '../../settings/index.js';
import type { Log } from '../../telemetry/index.js';
import { DatabaseDirectory } from './directory/directory.js';
import { DatabaseKeyUses } from './directory/key-uses.js';
import { DatabaseLedger, UNWRITTEN } from './ledger/ledger.js';
import { logCalendar, logLostChanges, OutageLog } from './node-log.js';
import { Database } from './postgres/database.js';
import { DatabaseRateLimits } from './rates/rate-limits.js';
import { SessionDefect } from './session/defect.js';
import { Session } from './session/session.js';

/** With this many connections, two of them are for heartbeats and polls alone; with fewer, one. */
const TWO_OF_CONNECTIONS = 4;
/** With this many connections, one of them is for charges alone. */
const ONE_OF_CONNECTIONS = 3;

/** This process as a node of a cluster: its connections, session, directory, ledger and limits. */
export class Node {
  readonly database: Database;
  readonly session: Session;
  readonly directory: DatabaseDirectory;
  readonly ledger: DatabaseLedger;
  readonly access: Access;
  /** For heartbeats and polls, which must not wait for other statements. */
  private readonly control: Database;
  /** For charges: while none can be written, no request is answered. So they must not wait for batches. */
  private readonly charging: Database;
  private readonly limiter: DatabaseRateLimits;

  constructor(store: Settings['store'], clock: Clock, log: Log) {
    const outages = new OutageLog(log, clock);
    const controls = store.connections >= TWO_OF_CONNECTIONS ? 2 : 1;
    this.control = new Database({ ...store, connections: controls });
    const charges = store.connections >= ONE_OF_CONNECTIONS ? 1 : 0;
    this.database = new Database({ ...store, connections: store.connections - controls - charges });
    this.charging = charges === 0 ? this.database : new Database({ ...store, connections: charges });
    const { control, charging, database } = this;
    this.session = new Session({
      database: control,
      work: this.database,
      clock,
      node: { name: hostname(), version: VERSION },
      onCalendar: logCalendar(log),
      onError: (error) => outages.failed(sessionTrouble(error), error),
    });
    const { session } = this;
    this.directory = new DatabaseDirectory({
      database: control,
      clock,
      onError: (error) => outages.failed('keys and workspaces cannot be read from the database', error),
      onLost: (lost) => logLostChanges(log, lost),
    });
    this.ledger = new DatabaseLedger({
      database: charging,
      reading: database,
      session,
      random: Math.random,
      onError: (error) => outages.failed('charges cannot be written to the database', error),
    });
    const { directory, ledger } = this;
    this.limiter = new DatabaseRateLimits({
      database,
      session,
      directory,
      onError: (error) => outages.failed('the counts of requests cannot be exchanged', error),
    });
    const { limiter } = this;
    const uses = new KeyUses();
    ledger.join(new DatabaseKeyUses(uses));
    this.access = new Access({ directory, ledger, limiter, clock: session.clock, uses });
  }

  /** Connections, without those for heartbeats, and those of them that are in use. */
  get connections(): Database['connections'] {
    const all = this.working.map(({ connections }) => connections);
    const sum = (of: 'open' | 'used') => all.reduce((total, each) => total + each[of], 0);
    return { open: sum('open'), used: sum('used') };
  }

  /** How often each statement was sent, by name, without those for heartbeats. */
  get statements(): Database['statements'] {
    const counts = new Map<string, number>();
    for (const { statements } of this.working) {
      for (const [name, count] of statements) counts.set(name, count + (counts.get(name) ?? 0));
    }
    return counts;
  }

  /** Rejects with OperatorError, DatabaseUnavailable. */
  async start(): Promise<void> {
    await this.session.start();
    await this.directory.start();
    this.ledger.start();
    await this.limiter.start();
  }

  /** Writes the charges, returns the leases and closes the connections. */
  stop(): Promise<void> {
    return endAll([
      () => this.ledger.stop(),
      // Behind the charges: its last exchange may wait for a database that hangs.
      () => this.limiter.stop(),
      () => this.session.stop(),
      () => this.directory.stop(),
      () => this.disconnect(),
    ]);
  }

  /** Closes the connections of a node that was not started. */
  async disconnect(): Promise<void> {
    await Promise.all([...this.working, this.control].map((each) => each.close()));
  }

  /** Why the node may not answer; empty if it may. */
  unreadyReasons(): readonly string[] {
    if (!this.session.isServing || !this.isDirectoryFresh()) return [this.session.refusal ?? AWAY];
    return this.ledger.canServe ? [] : [UNWRITTEN];
  }

  private get working(): readonly Database[] {
    return this.charging === this.database ? [this.database] : [this.database, this.charging];
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

const sessionTrouble = (error: unknown) =>
  error instanceof SessionDefect
    ? 'the session of this node was ended because of a defect; what it held is dropped, and the node registers again'
    : 'the session in the database cannot be extended';

const AWAY = 'The server cannot reach its database.';
