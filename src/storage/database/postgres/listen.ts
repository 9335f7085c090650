import pg from 'pg';
import { type Clock, systemClock } from '../../../base/index.js';
import type { Database } from './database.js';
import { prepareSession } from './session-settings.js';

/** The first pause before a connection is made again, in milliseconds; it doubles up to the longest. */
const PAUSE_MS = 100;
const PAUSE_MS_MAX = 5_000;
/** The interval, in milliseconds, of checks of the connection: no error reports the loss of an idle one. */
const CHECK_MS = 10_000;

/**
 * Receives the notifications of channels, on a connection of its own, until the returned function is called. If the
 * connection fails, it connects again, without limit. After every connection it calls `onNotify` with '' for each channel,
 * because earlier notifications were missed. Failures are not reported: notifications only make a poll happen earlier.
 *
 * @param channels names of lower-case letters and underscores
 */
export function listen(
  database: Database,
  channels: readonly string[],
  onNotify: (channel: string, payload: string) => void,
  clock: Clock = systemClock,
): () => Promise<void> {
  const listener = new Listener(database, channels, onNotify, clock);
  listener.start();
  return () => listener.stop();
}

class Listener {
  private client: pg.Client | null = null;
  private stopped = false;
  private failures = 0;
  private cancel = () => {};

  constructor(
    private readonly database: Database,
    private readonly channels: readonly string[],
    private readonly onNotify: (channel: string, payload: string) => void,
    private readonly clock: Clock,
  ) {}

  start(): void {
    void this.connect();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel();
    const { client } = this;
    this.client = null;
    await client?.end().catch(() => {});
  }

  private async connect(): Promise<void> {
    if (this.stopped) return;
    const client = new pg.Client(this.database.clientConfig());
    this.client = client;
    // 'end' follows every 'error'; both may come before the connection is made.
    client.on('error', () => this.lost(client));
    client.on('end', () => this.lost(client));
    client.on('notification', ({ channel, payload = '' }) => this.onNotify(channel, payload));
    try {
      await client.connect();
      await prepareSession(client);
      for (const channel of this.channels) await client.query(`LISTEN ${channel}`);
    } catch {
      this.lost(client);
      return;
    }
    if (this.client !== client) return;
    this.failures = 0;
    for (const channel of this.channels) this.onNotify(channel, '');
    this.checkLater(client);
  }

  private checkLater(client: pg.Client): void {
    this.cancel = this.clock.after(CHECK_MS, () => {
      client.query('SELECT 1').then(
        () => this.client === client && this.checkLater(client),
        () => this.lost(client),
      );
    });
  }

  /** Connects again after a pause, once per connection. */
  private lost(client: pg.Client): void {
    if (this.client !== client) return;
    this.client = null;
    this.cancel();
    client.end().catch(() => {});
    const pause = Math.min(PAUSE_MS * 2 ** this.failures, PAUSE_MS_MAX);
    this.failures += 1;
    this.cancel = this.clock.after(pause, () => void this.connect());
  }
}
