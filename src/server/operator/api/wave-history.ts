import type { OperatorWave } from '../../../api/index.js';

/** Waves that are kept of each lane. */
export const WAVES_KEPT = 60;

/** The last waves of every lane, by the number of the lane. */
export class WaveHistory {
  private readonly lanes = new Map<number, { count: number; readonly waves: OperatorWave[] }>();

  /** Oldest first. */
  of(lane: number): readonly OperatorWave[] {
    return this.lanes.get(lane)?.waves ?? [];
  }

  add(lane: number, { tokens, fill, ms }: Omit<OperatorWave, 'number'>): void {
    const kept = this.lanes.get(lane) ?? { count: 0, waves: [] };
    this.lanes.set(lane, kept);
    kept.count += 1;
    kept.waves.push({ number: kept.count, tokens, fill, ms });
    if (kept.waves.length > WAVES_KEPT) kept.waves.shift();
  }

  /** The lane has ended. */
  forget(lane: number): void {
    this.lanes.delete(lane);
  }
}
