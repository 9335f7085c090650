import { useEffect, useState } from 'preact/hooks';

/** A number that grows every `ms` milliseconds while `active`. */
export function useTick(ms: number, active: boolean): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(() => setTick((before) => before + 1), ms);
    return () => clearInterval(timer);
  }, [ms, active]);
  return tick;
}
