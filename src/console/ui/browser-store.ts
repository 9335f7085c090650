import { forgetHeld } from './held-value.js';

/** How the names of everything that the consoles keep begin. */
const OWN = 'decider.';

/** Forgets everything that is kept for this tab, in the page and in the session storage. */
export function forgetTab(): void {
  forgetHeld();
  try {
    for (const name of Object.keys(sessionStorage)) {
      if (name.startsWith(OWN)) sessionStorage.removeItem(name);
    }
  } catch {
    // The browser stores nothing.
  }
}

/**
 * A value that the browser keeps under a name: in the session storage until the tab is closed, or in the local storage for
 * all tabs. A browser may store nothing, or may be full: what is kept is a convenience.
 */
export class BrowserStore<Value> {
  constructor(
    private readonly name: string,
    private readonly place: 'tab' | 'browser',
    /** Reads what another version of the console, or a person, may have written; null if it is no value. */
    private readonly check: (stored: unknown) => Value | null,
  ) {}

  /** Null: nothing is stored, or it cannot be read. */
  read(): Value | null {
    try {
      const text = this.storage.getItem(this.name);
      return text === null ? null : this.check(JSON.parse(text));
    } catch {
      return null;
    }
  }

  /** Null: removes it. Whether it was stored. */
  write(value: Value | null): boolean {
    try {
      if (value === null) this.storage.removeItem(this.name);
      else this.storage.setItem(this.name, JSON.stringify(value));
      return true;
    } catch {
      return false;
    }
  }

  private get storage(): Storage {
    return this.place === 'tab' ? sessionStorage : localStorage;
  }
}
