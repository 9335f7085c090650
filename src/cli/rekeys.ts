import type { Server } from '../server/index.js';
import type { Log } from '../telemetry/index.js';
import { type RekeyRequest, readRequest, removeRequest, writeRequest } from './rekey-request.js';

interface Parts {
  /** The data folder. */
  readonly folder: string;
  print(line: string): void;
  readonly log: Pick<Log, 'info' | 'error'>;
}

/** The changes of the master key in a server process, requested by `decider rekey`. */
export class Rekeys {
  private server: Pick<Server, 'rekey'> | null = null;
  private isRunning = false;

  constructor(private readonly parts: Parts) {}

  /** The server runs: requests are carried out from now on. Earlier ones are removed. Never throws. */
  begin(server: Pick<Server, 'rekey'>): void {
    this.attempt(() => removeRequest(this.parts.folder));
    this.server = server;
  }

  /** The server stops: requests are carried out no more. */
  end(): void {
    this.server = null;
  }

  /** Begins the requested change. Returns whether it has: a signal that begins none asks for a reload. Never throws. */
  run(): boolean {
    const request = readRequest(this.parts.folder);
    // A command that was killed before it sent its signal must not take effect with a later one.
    if (request === null || request.outcome !== null || !exists(request.pid)) return false;
    if (this.server === null || this.isRunning) return false;
    void this.change(this.server, request);
    return true;
  }

  private async change(server: Pick<Server, 'rekey'>, request: RekeyRequest): Promise<void> {
    const { folder, print, log } = this.parts;
    this.isRunning = true;
    let outcome: NonNullable<RekeyRequest['outcome']>;
    try {
      outcome = { error: null, ...(await server.rekey(request.newKeyFile)) };
      log.info({ dataKeys: outcome.dataKeys }, 'the master key was changed');
      print('the master key was changed');
    } catch (error) {
      const { message } = error as Error;
      outcome = { error: message, dataKeys: null, earlier: null };
      log.error({ reason: message }, 'the master key was not changed');
      print(`the master key was not changed: ${message}`);
    }
    this.isRunning = false;
    // Another command may have replaced the request.
    if (readRequest(folder)?.id !== request.id) {
      this.run();
      return;
    }
    this.attempt(() => writeRequest(folder, { ...request, outcome }));
  }

  private attempt(work: () => void): void {
    try {
      work();
    } catch (failure) {
      this.parts.log.error({ err: failure }, 'the outcome of a change of the master key cannot be stored');
    }
  }
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
