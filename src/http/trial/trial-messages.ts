// Messages between a start and its child process that tries uWebSockets.js.

/** The input: JSON on standard input. */
export interface TrialTask {
  /** URL of the module whose `loadUws` loads the transport. */
  readonly module: string;
}

/** The output: one line of JSON on file descriptor 3. */
export type TrialReport =
  /** It does not load; the code of the error, '' if it has none. */
  | { readonly unloaded: string }
  /** It does not answer ordinary requests as it should; why. */
  | { readonly broken: string }
  /** The names of the attacks whose hidden request was executed. */
  | { readonly executed: readonly string[] }
  /** All attacks were refused; their number. */
  | { readonly refused: number };

/** The token in the value of an `Authorization` field. */
export const tokenOf = (value: string): string => value.replace('Bearer ', '');
