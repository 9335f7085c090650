/** The key is kept for this tab only, and is never part of an address. */
const NAME = 'decider.key';

/** The form of every token (contract 5 rule 10). */
const TOKEN = /^dk_[A-Za-z0-9]{40}$/;

export const looksLikeKey = (text: string): boolean => TOKEN.test(text);

/** The key of this tab; null if there is none, or if the browser stores nothing. */
export function readKey(): string | null {
  try {
    return sessionStorage.getItem(NAME);
  } catch {
    return null;
  }
}

export function storeKey(key: string | null): void {
  try {
    if (key === null) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, key);
  } catch {
    // The key is then kept until the page is left.
  }
}
