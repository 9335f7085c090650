import { useEffect, useState } from 'preact/hooks';

/** A value once it has not changed for a while, in milliseconds: for what takes too long to follow every key. */
export function useSettled<Value>(value: Value, pauseMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}
