import type { TaskFit } from '../../client/index.js';

/** What a fit says about a question. */
type AnyQuestion = TaskFit['questions'][string];

/** A question that had too few labels. */
export type RefusedQuestion = Extract<AnyQuestion, { readonly refused: string }>;

/** A question that had enough labels. */
export type FittedQuestion = Exclude<AnyQuestion, RefusedQuestion>;
