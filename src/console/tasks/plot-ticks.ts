/** A number of an axis. */
interface Tick {
  readonly value: number;
  /** In percent, without the sign. */
  readonly text: string;
}

/** The steps between numbers, as shares. */
const STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1] as const;
/** Numbers of an axis, at most. */
const TICKS_MAX = 6;

/** Round numbers from one share to another, both included if they are round. */
export function ticksOf(from: number, to: number): Tick[] {
  const step = STEPS.find((each) => (to - from) / each <= TICKS_MAX - 1 + 1e-9) ?? 1;
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  const decimals = step < 0.01 ? 1 : 0;
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => {
    const value = (first + at) * step;
    return { value, text: (value * 100).toFixed(decimals) };
  });
}

/** The end of an axis that begins at 0 and holds `most`: a round share, at most 1. */
export function roundTop(most: number): number {
  const step = STEPS.find((each) => most / each <= TICKS_MAX - 1 + 1e-9) ?? 1;
  return Math.min(1, Math.max(step, Math.ceil(most / step - 1e-9) * step));
}

/** The beginning of an axis that ends at 1 and holds `least`: a tenth. */
export const roundBottom = (least: number): number =>
  Math.max(0, Math.min(0.9, Math.floor(least * 10 + 1e-9) / 10));
