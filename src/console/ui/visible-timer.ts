const isHidden = () => document.visibilityState === 'hidden';

/**
 * Calls back once after a wait, but not before the tab is visible: a page that nobody sees asks the server for nothing.
 * Returns what cancels the call.
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
