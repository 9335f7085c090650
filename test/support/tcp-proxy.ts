import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Owner } from './owner.js';

/**
 * What becomes of a COMMIT whose connection is lost: it never reaches the database; its answer does not reach the client; or
 * it reaches the database LATE_MS after the client has seen the connection fail.
 */
type LostCommit = 'not sent' | 'not answered' | 'late';
const LATE_MS = 300;
/** How the statement ends on the wire. BEGIN has READ COMMITTED. */
const COMMIT = 'COMMIT\0';

/** Which COMMIT is lost, and what follows. */
interface Loss {
  readonly how: LostCommit;
  /** Only a COMMIT that follows a statement of this name on its connection; '': any. */
  readonly after: string;
  /** The other connections end too, and new ones are refused for this many milliseconds; 0: they stay. */
  readonly awayMs: number;
}

/** A TCP proxy on loopback that can hold back what passes through it, as a slow or broken network does. */
export class TcpProxy {
  private readonly server: Server;
  private readonly pairs = new Set<readonly [Socket, Socket]>();
  private delayMs = 0;
  private paused = false;
  private pausesAt: string | null = null;
  private refusing = false;
  private loss: Loss | null = null;
  private back: NodeJS.Timeout | undefined;
  /** Connections on which the statement of the loss was sent. */
  private readonly marked = new Set<Socket>();

  private constructor(private target: number) {
    this.server = createServer((client) => this.accept(client));
  }

  /** A proxy in front of a port of loopback, closed with the test. */
  static async start(t: Owner, target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    t.teardown(() => proxy.close());
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** New connections go to another port of loopback. */
  retarget(port: number): void {
    this.target = port;
  }

  /** Forwards nothing and closes nothing: both sides see silence. New connections are accepted and silent too. */
  pause(): void {
    this.paused = true;
    for (const pair of this.pairs) for (const socket of pair) socket.pause();
  }

  /** Pauses when a client has sent a text, such as the name of a statement. */
  pauseAt(text: string): void {
    this.pausesAt = text;
  }

  /** What was held back passes. */
  resume(): void {
    this.pausesAt = null;
    this.paused = false;
    for (const pair of this.pairs) for (const socket of pair) socket.resume();
  }

  /** Everything passes this many milliseconds later, in each direction. */
  delay(ms: number): void {
    this.delayMs = ms;
  }

  /** Ends all connections. `refuse`: and every new one, until it is called with false. */
  cut(refuse = false): void {
    clearTimeout(this.back);
    this.refusing = refuse;
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
  }

  /** The connection of the next COMMIT is lost; null: it is not. `after`, `awayMs`: see `Loss`. */
  loseCommit(how: LostCommit | null, { after = '', awayMs = 0 }: Partial<Loss> = {}): void {
    this.loss = how === null ? null : { how, after, awayMs };
    this.marked.clear();
  }

  /** Whether `loseCommit` still waits for its COMMIT. */
  get mayLoseCommit(): boolean {
    return this.loss !== null;
  }

  async close(): Promise<void> {
    this.cut(true);
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(client: Socket): void {
    if (this.refusing) {
      client.destroy();
      return;
    }
    const upstream = connect(this.target, '127.0.0.1');
    const pair = [client, upstream] as const;
    this.pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.on('data', (bytes) => {
        if (from === client && this.loses(client, bytes)) this.lose(pair, bytes);
        else this.later(() => to.write(bytes));
        if (from === client && this.pausesAt !== null && bytes.includes(this.pausesAt)) this.pause();
      });
      from.on('end', () => this.later(() => to.end()));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        this.pairs.delete(pair);
      });
      if (this.paused) from.pause();
    }
  }

  private loses(client: Socket, bytes: Buffer): boolean {
    if (this.loss === null) return false;
    if (bytes.includes(this.loss.after)) this.marked.add(client);
    return bytes.includes(COMMIT) && this.marked.has(client);
  }

  private lose(pair: readonly [Socket, Socket], commit: Buffer): void {
    const [client, upstream] = pair;
    const { how, awayMs } = this.loss as Loss;
    this.loseCommit(null);
    if (how !== 'not sent') {
      // The end of one side does not end the other.
      client.removeAllListeners('close');
      upstream.removeAllListeners('data');
      upstream.once('data', () => {
        client.destroy();
        upstream.destroy();
      });
      setTimeout(() => upstream.write(commit), how === 'late' ? LATE_MS : 0);
    }
    if (how !== 'not answered') client.destroy();
    if (awayMs > 0) this.goAway(pair, awayMs);
  }

  private goAway(lost: readonly [Socket, Socket], ms: number): void {
    this.refusing = true;
    for (const pair of this.pairs) if (pair !== lost) for (const socket of pair) socket.destroy();
    this.back = setTimeout(() => {
      this.refusing = false;
    }, ms);
  }

  /** In the order of the calls, if the delay is not shortened. */
  private later(pass: () => void): void {
    if (this.delayMs === 0) pass();
    else setTimeout(pass, this.delayMs);
  }
}
