import { useEffect, useState } from 'preact/hooks';

/** Whether the tab is visible. */
export function useVisible(): boolean {
  const isVisible = () => document.visibilityState === 'visible';
  const [visible, setVisible] = useState(isVisible);
  useEffect(() => {
    const change = () => setVisible(isVisible());
    document.addEventListener('visibilitychange', change);
    return () => document.removeEventListener('visibilitychange', change);
  }, []);
  return visible;
}
