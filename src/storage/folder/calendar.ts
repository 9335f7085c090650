import { dayOf } from '../../access/index.js';
import { type Clock, JUMP_LASTS_MS, SteadyClock } from '../../base/index.js';
import type { Log } from '../../telemetry/index.js';
import type { LedgerPart } from './ledger/part.js';
import { KEEP_TIME_EVERY_MS, readKeptTime, writeKeptTime } from './lmdb/kept-time.js';
import type { Store } from './lmdb/store.js';

/** A server's calendar, stored in its data folder so that the next process can detect a wrong clock. */
export class FolderCalendar {
  readonly clock: SteadyClock;
  private readonly listeners: Array<(ms: number) => void | Promise<void>> = [];
  private readonly parts: LedgerPart[] = [];
  private certain: number | null;
  private stopped = false;
  private cancel = () => {};

  constructor(
    private readonly store: Store,
    system: Clock,
    private readonly log: Log,
  ) {
    this.certain = readKeptTime(store)?.certain ?? null;
    this.clock = new SteadyClock(system, this.certain, (ms) => {
      log.warn({ ms }, 'the system clock has jumped; the server follows it now');
      for (const listener of this.listeners) void this.guarded(() => listener(ms));
    });
    if (this.clock.certainFor() >= JUMP_LASTS_MS) return;
    const ms = system.now() - (this.certain ?? 0);
    log.warn({ ms }, 'the system clock differs from the last recorded time; nothing expires for 5 minutes');
  }

  /** Calls the listener at every later jump of the calendar, with milliseconds. */
  onJump(listener: (ms: number) => void | Promise<void>): void {
    this.listeners.push(listener);
  }

  /** Adds a part to every transaction that stores the time. */
  join(part: LedgerPart): void {
    this.parts.push(part);
  }

  /** Stores the time, now and at intervals. The store's writer must have been started. */
  async start(): Promise<void> {
    await this.keep();
    if (!this.stopped) this.cancel = this.clock.after(KEEP_TIME_EVERY_MS, () => void this.start());
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel();
    await this.keep();
  }

  private async keep(): Promise<void> {
    const shown = this.clock.now();
    if (this.clock.certainFor() >= JUMP_LASTS_MS) this.certain = shown;
    const taken = this.parts.map((part) => part.take());
    try {
      const time = writeKeptTime(this.store, { shown, certain: this.certain });
      await this.store.write([time, ...taken.flatMap(({ writes }) => writes)]);
      for (const part of taken) part.written(dayOf(shown));
    } catch (error) {
      for (const part of taken) part.lost();
      this.log.error({ err: error }, 'the time cannot be stored');
    }
  }

  /** A listener must not fail the caller that happened to read the clock. */
  private async guarded(listener: () => void | Promise<void>): Promise<void> {
    try {
      await listener();
    } catch (error) {
      this.log.error({ err: error }, 'stored times could not be moved with the clock');
    }
  }
}
