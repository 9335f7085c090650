import { type Clock, FOLLOWED_MS, JUMP_LASTS_MS, type Log, SteadyClock, systemClock } from '../base/index.js';
import { readKeptTime, type Store, servingProcess, writeKeptTime } from '../store/index.js';

/** How often the time is kept, in milliseconds; each time the system's clock is looked at as well. */
const KEEP_MS = 60_000;

/** The calendar of a server, kept in its data folder so that the next process can tell a wrong clock. */
export class Calendar {
  readonly clock: SteadyClock;
  private readonly listeners: Array<(ms: number) => void | Promise<void>> = [];
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
      log.warn({ ms }, 'the system clock has jumped, and is followed now');
      for (const listener of this.listeners) void this.guarded(() => listener(ms));
    });
    if (this.clock.certainFor() >= JUMP_LASTS_MS) return;
    const ms = this.clock.now() - (this.certain ?? 0);
    log.warn({ ms }, 'the system clock differs from the last recorded time; nothing expires for 5 minutes');
  }

  /** From now on told of every jump of the calendar, in milliseconds. */
  onJump(listener: (ms: number) => void | Promise<void>): void {
    this.listeners.push(listener);
  }

  /** Stores the time, now and at intervals. The store's writer must have been started. */
  async start(): Promise<void> {
    await this.keep();
    if (!this.stopped) this.cancel = this.clock.after(KEEP_MS, () => void this.start());
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel();
    await this.keep();
  }

  private async keep(): Promise<void> {
    try {
      const shown = this.clock.now();
      if (this.clock.certainFor() >= JUMP_LASTS_MS) this.certain = shown;
      await this.store.write([writeKeptTime(this.store, { shown, certain: this.certain })]);
    } catch (error) {
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

/**
 * The clock of a command that changes a data folder: that of the server which serves it, where the system's is far from
 * that, and the system's elsewhere.
 */
export function commandClock(store: Store, system: Clock = systemClock): Clock {
  const kept = readKeptTime(store);
  if (kept === null || servingProcess(store.folder) === null) return system;
  const now = system.now();
  if (now >= kept.shown - FOLLOWED_MS && now <= kept.shown + KEEP_MS * 2) return system;
  const started = system.monotonic();
  return { ...system, now: () => Math.round(kept.shown + system.monotonic() - started) };
}
