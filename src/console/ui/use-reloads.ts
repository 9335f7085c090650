import { useEffect } from 'preact/hooks';
import { CallError } from '../api/error.js';
import type { Loaded } from './use-load.js';
import { visibleTimer } from './visible-timer.js';

/** What decides when is loaded again. */
interface Terms {
  readonly active: boolean;
  /** Whether what was loaded can still change. */
  readonly isMoving: boolean;
  /** How long after a load the next one begins, in milliseconds; longer if the server asks for it. */
  readonly everyMs: number;
}

/** Loads again while a value can change, and after an error that may pass; not while the tab is hidden. */
export function useReloads(
  { reload, error, stale, at }: Omit<Loaded<unknown>, 'value' | 'isCurrent' | 'replace'>,
  { active, isMoving, everyMs }: Terms,
): void {
  useEffect(() => {
    if (!active || stale === 'renewing') return;
    const failed = error instanceof CallError && error.isTemporary ? error : null;
    if (error === null ? !isMoving : failed === null) return;
    return visibleTimer(reload, Math.max(everyMs, (failed?.retryAfterSeconds ?? 0) * 1_000));
    // A load that fails once more leaves the value and its time as they are.
  }, [active, isMoving, stale, error, at]);
}
