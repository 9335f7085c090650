/** An answer whose correct option is known: what metrics are computed from. */
export interface Measured {
  /** The id of the case. */
  readonly case: string;
  /** Cases of a group are not independent: intervals resample whole groups. Null: the case is its own group. */
  readonly group: string | null;
  /** The index of the correct option. */
  readonly expected: number;
  /** One per option, in their order. */
  readonly probabilities: readonly number[];
}
