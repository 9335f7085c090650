import { useEffect, useState } from 'preact/hooks';

/** A part of the page that is loaded after it. */
interface Later<Part> {
  /** Null: it is not loaded yet. */
  readonly value: Part | null;
  /** Why it cannot be loaded; null if it can. */
  readonly error: unknown;
}

/** Loads a part of the page after the page is drawn. */
export function useLater<Part>(load: () => Promise<Part>): Later<Part> {
  const [later, setLater] = useState<Later<Part>>({ value: null, error: null });
  useEffect(() => {
    load().then(
      (value) => setLater({ value, error: null }),
      () => setLater({ value: null, error: new Error(NOT_LOADED) }),
    );
  }, []);
  return later;
}

const NOT_LOADED =
  'A part of the page could not be loaded: load the page again. A new version of the server may run.';
