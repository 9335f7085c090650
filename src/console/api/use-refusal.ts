import { useRef } from 'preact/hooks';
import type { CallError } from './error.js';

/**
 * What an `Api` calls when its key or token is refused, by the key. Only a refusal of the present one counts: a call of an
 * earlier one can end when another was entered.
 *
 * @param present the present key; null if there is none
 */
export function useRefusal(
  present: string | null,
  onRefused: (error: CallError) => void,
): (key: string) => (error: CallError) => void {
  const latest = useRef(present);
  latest.current = present;
  return (key) => (error) => {
    if (latest.current === key) onRefused(error);
  };
}
