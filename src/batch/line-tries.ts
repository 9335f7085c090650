/** What is stored of a line without a result when its chunk is given back, so that its tries are counted on. */
export interface LineTries {
  readonly line: number;
  /** The tries that have ended with a temporary fault. */
  readonly tries: number;
  /** Whether its next wave has no others; see `OpenBatch.suspects`. */
  readonly alone: boolean;
}
