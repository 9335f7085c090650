/** How a rule is tested. */
export interface Coverage {
  /** Names of contract tests. */
  readonly by?: readonly string[];
  /** Test files for what a client cannot observe, or only by waiting. */
  readonly elsewhere?: readonly string[];
  /** Why there is no test. */
  readonly none?: string;
}

export const by = (...tests: readonly string[]): Coverage => ({ by: tests });
