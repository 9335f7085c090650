import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARY = `/usr/lib/${{ x64: 'x86_64', arm64: 'aarch64' }[process.arch as 'x64'] ?? process.arch}-linux-gnu/faketime/libfaketimeMT.so.1`;

/** A system clock of child processes that can be set while they run, by libfaketime. Durations are not affected. */
export class SteppedTime {
  private constructor(private readonly file: string) {
    this.step(0);
  }

  /** Null: libfaketime is not installed. `folder`: of its file. */
  static find(folder: string): SteppedTime | null {
    return existsSync(LIBRARY) ? new SteppedTime(join(folder, 'time')) : null;
  }

  /** The environment of processes that use this clock. */
  get environment(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: this.file,
      // Read once a second.
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** From now on, the clock is so many seconds ahead. */
  step(seconds: number): void {
    writeFileSync(this.file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }
}
