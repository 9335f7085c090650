import { OperatorError } from '../base/index.js';
import type { Server } from '../server/index.js';
import type { Settings } from '../settings/index.js';
import { removeOutcome, writeOutcome } from '../storage/index.js';
import type { Log } from '../telemetry/index.js';

interface Parts {
  /** Reads the settings again. Throws SettingsError. */
  read(): Settings;
  /** The data folder. */
  readonly folder: string;
  print(line: string): void;
  readonly log: Pick<Log, 'info' | 'error'>;
}

/**
 * The reloads of a server process: reads the settings again, and reports the outcome. Reloads that are asked for while one
 * is in progress become a single one, which follows it.
 */
export class Reloads {
  private server: Server | null = null;
  /** Reloads that have begun. */
  private begun = 0;
  /** Reloads that have ended. */
  private number = 0;
  private isRunning = false;
  private isAskedAgain = false;
  private hasEnded = false;

  constructor(private readonly parts: Parts) {}

  /** The server runs: from now on `decider reload` finds it. */
  begin(server: Server): void {
    this.server = server;
    this.store(null, []);
  }

  /** Resolves when the reload has ended, or at once if it follows another one. Never rejects. */
  async run(): Promise<void> {
    this.isAskedAgain = true;
    if (this.isRunning) return;
    this.isRunning = true;
    while (this.isAskedAgain) {
      this.isAskedAgain = false;
      await this.runOnce();
    }
    this.isRunning = false;
  }

  /** The server stops: from now on `decider reload` does not find it. Never throws. */
  end(): void {
    this.hasEnded = true;
    this.remove();
  }

  private async runOnce(): Promise<void> {
    const { print, log } = this.parts;
    if (this.hasEnded) {
      print('not reloaded: the server is stopping.');
      return;
    }
    try {
      const changed = await this.reload();
      log.info({ changed }, 'the settings were reloaded');
      print(`reloaded: ${changed.length === 0 ? 'nothing has changed' : changed.join(', ')}`);
      this.finish(null, changed);
    } catch (error) {
      const { message } = error as Error;
      log.error({ reason: message }, 'the settings were not reloaded');
      print(`not reloaded: ${message}`);
      this.finish(message, []);
    }
  }

  private async reload(): Promise<string[]> {
    if (this.server === null) throw new OperatorError('The server is still starting.');
    this.begun += 1;
    this.store(null, []);
    return this.server.reload(this.parts.read());
  }

  private finish(error: string | null, changed: string[]): void {
    this.number = this.begun;
    this.store(error, changed);
  }

  private store(error: string | null, changed: string[]): void {
    if (this.server === null || this.hasEnded) return;
    const { begun, number } = this;
    try {
      writeOutcome(this.parts.folder, { pid: process.pid, begun, number, error, changed });
    } catch (failure) {
      this.parts.log.error({ err: failure }, 'the outcome of a reload cannot be stored');
      // Otherwise the command would take an earlier outcome for a reload that is still in progress.
      this.remove();
    }
  }

  private remove(): void {
    try {
      removeOutcome(this.parts.folder);
    } catch (failure) {
      this.parts.log.error({ err: failure }, 'the outcome of the last reload cannot be removed');
    }
  }
}
