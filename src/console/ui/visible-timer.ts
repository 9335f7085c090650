const isHidden = () => document.visibilityState === 'hidden';

/**
 * Calls `callback` once after `ms` milliseconds, or later when the tab becomes visible, so that a hidden tab sends no
 * requests. Returns a function that cancels the call.
 */
export function visibleTimer(callback: () => void, ms: number): () => void {
  let unlisten = () => {};
  const timer = setTimeout(() => {
    if (!isHidden()) return callback();
    const look = () => {
      if (isHidden()) return;
      unlisten();
      callback();
    };
    unlisten = () => document.removeEventListener('visibilitychange', look);
    document.addEventListener('visibilitychange', look);
  }, ms);
  return () => {
    clearTimeout(timer);
    unlisten();
  };
}
