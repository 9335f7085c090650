import { OperatorError } from '../base/index.js';
import { removeOutcome, type Server, writeOutcome } from '../server/index.js';
import type { Settings } from '../settings/index.js';
import type { Log } from '../telemetry/index.js';

interface Parts {
  /** Reads the settings again. Throws SettingsError. */
  read(): Settings;
  /** The data folder. */
  readonly folder: string;
  print(line: string): void;
  readonly log: Pick<Log, 'info' | 'error'>;
}

/** The reloads of a server process: reads the settings again, and reports the outcome. */
export class Reloads {
  private server: Server | null = null;
  private number = 0;
  private hasEnded = false;

  constructor(private readonly parts: Parts) {}

  /** The server runs: from now on `decider reload` finds it. */
  begin(server: Server): void {
    this.server = server;
    this.store(null, []);
  }

  /** Never throws. */
  run(): void {
    const { print, log } = this.parts;
    if (this.hasEnded) {
      print('not reloaded: the server is stopping.');
      return;
    }
    try {
      const changed = this.reload();
      log.info({ changed }, 'the settings were reloaded');
      print(`reloaded: ${changed.length === 0 ? 'nothing has changed' : changed.join(', ')}`);
      this.store(null, changed);
    } catch (error) {
      const { message } = error as Error;
      log.error({ reason: message }, 'the settings were not reloaded');
      print(`not reloaded: ${message}`);
      this.store(message, []);
    }
  }

  /** The server stops: from now on `decider reload` does not find it. Never throws. */
  end(): void {
    this.hasEnded = true;
    try {
      removeOutcome(this.parts.folder);
    } catch (failure) {
      this.parts.log.error({ err: failure }, 'the outcome of the last reload cannot be removed');
    }
  }

  private reload(): string[] {
    if (this.server === null) throw new OperatorError('The server is still starting.');
    return this.server.reload(this.parts.read());
  }

  private store(error: string | null, changed: string[]): void {
    if (this.server === null) return;
    try {
      writeOutcome(this.parts.folder, { pid: process.pid, number: this.number, error, changed });
      this.number += 1;
    } catch (failure) {
      this.parts.log.error({ err: failure }, 'the outcome of a reload cannot be stored');
    }
  }
}
