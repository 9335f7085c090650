/** How a rule is shown. */
export interface Shown {
  /** Names of contract tests. */
  readonly by?: readonly string[];
  /** Test files that show what no client can see, or not without waiting. */
  readonly elsewhere?: readonly string[];
  /** Why there is no test. */
  readonly none?: string;
}

export const by = (...tests: readonly string[]): Shown => ({ by: tests });
