import { useEffect, useState } from 'preact/hooks';

/** What `read` makes of the fragment of the address, now and after each change. */
export function useFragment<Route>(read: (fragment: string) => Route): Route {
  const [route, setRoute] = useState(() => read(location.hash));
  useEffect(() => {
    const change = () => setRoute(read(location.hash));
    addEventListener('hashchange', change);
    return () => removeEventListener('hashchange', change);
  }, []);
  return route;
}
