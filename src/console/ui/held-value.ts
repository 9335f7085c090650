const ALL: HeldValue<unknown>[] = [];

/**
 * A value that this page holds for its key, and that outlives the view that set it. Every variable of a module of the
 * console that is about callers' data is one, so that none is left out when the key is forgotten.
 */
export class HeldValue<Value> {
  value: Value;

  constructor(private readonly first: () => Value) {
    this.value = first();
    ALL.push(this);
  }

  /** Sets it to its first value. */
  forget(): void {
    this.value = this.first();
  }
}

/** Forgets what this page holds. */
export function forgetHeld(): void {
  for (const each of ALL) each.forget();
}
