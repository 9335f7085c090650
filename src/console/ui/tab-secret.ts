/** A secret that the browser keeps for this tab only, under a name. It is never part of an address. */
export class TabSecret {
  constructor(private readonly name: string) {}

  /** The secret; null if there is none, or if the browser stores nothing. */
  read(): string | null {
    try {
      return sessionStorage.getItem(this.name);
    } catch {
      return null;
    }
  }

  /** Null: removes it. */
  store(secret: string | null): void {
    try {
      if (secret === null) sessionStorage.removeItem(this.name);
      else sessionStorage.setItem(this.name, secret);
    } catch {
      // It is then kept until the page is left.
    }
  }
}
