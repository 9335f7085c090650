/** How requests are answered: each alone on an empty context, the same once more, and eight at a time. */
export const ANSWER_KINDS = ['alone', 'again', 'together'] as const;

export type AnswerKind = (typeof ANSWER_KINDS)[number];

/** The logits of the options, by question. */
export type Answers = Readonly<Record<AnswerKind, readonly Float32Array[]>>;
