import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TransportName } from '../http/kinds.js';
import type { Delay, Listening } from './delay.js';

const SCRIPT = fileURLToPath(new URL('./server-process.js', import.meta.url));

/** The complete server, with a monitor of its event loop. */
export class WatchedServer {
  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
    readonly token: string,
  ) {}

  /** `settings`: environment variables of the server; `flags`: options of Node, such as `--cpu-prof`. */
  static async start(
    transport: TransportName,
    models: string,
    settings: Readonly<Record<string, string>> = {},
    flags: readonly string[] = [],
  ) {
    const child = fork(SCRIPT, [], {
      execArgv: [...flags],
      env: { ...process.env, ...settings, DECIDER_MODELS: models, DECIDER_HTTP_TRANSPORT: transport },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const started = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => null)]);
    if (started === null) throw new Error(`the server does not start on ${transport}`);
    const { port, token } = started[0] as Listening;
    return new WatchedServer(child, port, token);
  }

  /** The delays since the previous call. */
  async delay(): Promise<Delay> {
    const told = once(this.child, 'message');
    this.child.send('delay');
    return (await told)[0] as Delay;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }
}
