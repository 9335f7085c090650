import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Kind, Listening, Preparing, Spent, TransportName } from './kinds.js';

const SCRIPT = fileURLToPath(new URL('./server-process.js', import.meta.url));

/** A server under load, in its own process. */
export class Server {
  private constructor(
    readonly kind: Kind,
    readonly transport: TransportName,
    private readonly child: ChildProcess,
    readonly port: number,
    readonly token: string,
  ) {}

  /**
   * @param answer the response of the bare transport
   * @param preparing for the kind `whole`, another model than the embedded one
   */
  static async start(
    kind: Kind,
    transport: TransportName,
    answer: string,
    preparing?: Preparing,
  ): Promise<Server> {
    const child = fork(SCRIPT, [kind, transport, answer, JSON.stringify(preparing ?? null)], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const started = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => null)]);
    if (started === null) throw new Error(`the server ${kind} does not start on ${transport}`);
    const { port, token } = started[0] as Listening;
    return new Server(kind, transport, child, port, token);
  }

  async spent(): Promise<Spent> {
    const told = once(this.child, 'message');
    this.child.send('spent');
    return (await told)[0] as Spent;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
