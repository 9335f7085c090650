import { progress } from './progress.js';

interface PaceOptions {
  /** Cases of the benchmark; each takes about as long. */
  readonly cases: number;
  /** Time of the benchmark, as `--minutes` gives it; undefined: as long as it takes. */
  readonly minutes?: string | undefined;
}

/** Where tests replace time and output. */
interface Surroundings {
  /** Milliseconds. */
  now(): number;
  tell: typeof progress;
}

/**
 * The cases and rounds of a benchmark: reports each with the time that is left, and ends them when the time is over.
 *
 * With a limit, every case gets an equal part of the time that is left when it begins, and uses it for as many of its
 * rounds as begin in it, but for at least one.
 */
export class Pace {
  private readonly cases: number;
  /** Milliseconds; Infinity: no limit. */
  private readonly limit: number;
  private readonly start: number;
  private begun = 0;
  private name = '';

  constructor(
    { cases, minutes }: PaceOptions,
    private readonly surroundings: Surroundings = { now: () => performance.now(), tell: progress },
  ) {
    this.cases = cases;
    this.limit = minutes === undefined ? Number.POSITIVE_INFINITY : Number(minutes) * 60_000;
    if (!(this.limit > 0)) throw new Error(`--minutes must be a positive number, not ${minutes}.`);
    this.start = surroundings.now();
    surroundings.tell('preparing', null);
  }

  /** Begins a case without rounds. Returns false if the time is over: the case is to be left out. */
  begins(name: string): boolean {
    const inTime = this.begun === 0 || this.elapsed < this.limit;
    this.begin(name);
    this.tell(inTime ? '' : 'left out, the time is over', 0);
    return inTime;
  }

  /** Begins a case and counts its rounds, from 0: at least `least`, and at most `most`. */
  *rounds(name: string, most: number, least = 1): Generator<number, void, void> {
    const end = this.elapsed + this.share;
    this.begin(name);
    for (let round = 0; round < most; round++) {
      if (round >= least && this.elapsed >= end) return;
      this.tell(`round ${round + 1} of ${most}`, round / most);
      yield round;
    }
  }

  /** Reports a step of the current case. */
  step(what: string): void {
    this.tell(what, 0);
  }

  /** Begins a case that runs for a while: for so many seconds, or less if its part of the time is less. */
  seconds(name: string, wanted: number): number {
    const seconds = Math.min(wanted, this.share / 1_000);
    this.begin(name);
    this.tell('', 0);
    return seconds;
  }

  private get elapsed(): number {
    return this.surroundings.now() - this.start;
  }

  /** The part of the time that is left, in milliseconds, for the case that begins next. */
  private get share(): number {
    return Math.max(0, this.limit - this.elapsed) / Math.max(1, this.cases - this.begun);
  }

  private begin(name: string): void {
    this.begun += 1;
    this.name = name;
  }

  /** @param part of the current case that is done, 0 to 1 */
  private tell(what: string, part: number): void {
    const done = Math.min(1, (this.begun - 1 + part) / this.cases);
    const whole = done > 0 ? this.elapsed / done : Number.POSITIVE_INFINITY;
    const isLate = this.elapsed >= this.limit;
    const left = (isLate ? whole : Math.min(whole, this.limit)) - this.elapsed;
    const seconds = Number.isFinite(left) ? Math.round(left / 1_000) : null;
    this.surroundings.tell(what === '' ? this.name : `${this.name}: ${what}`, seconds);
  }
}
