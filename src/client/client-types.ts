import type { ApiSchemas } from './api-schema.js';

// The types of questions and answers. Those of an answer follow from those of its question.

/** What an option means; with null the model sees its name. */
export type OptionText = string | null;

export interface NoulQuestion {
  readonly type: 'noul';
  readonly instructions?: string | null | undefined;
  readonly criteria?:
    | { readonly true: OptionText; readonly false: OptionText }
    | { readonly yes: OptionText; readonly no: OptionText }
    | null
    | undefined;
}

export interface ChoiceQuestion<Label extends string = string> {
  readonly type: 'choice';
  readonly instructions?: string | null | undefined;
  /** The labels, or what each of them means. */
  readonly criteria: readonly Label[] | Readonly<Record<Label, OptionText>>;
}

export interface ScoreQuestion {
  readonly type: 'score';
  readonly instructions?: string | null | undefined;
  /** The levels, lowest first. */
  readonly criteria: readonly OptionText[];
}

export type Question = NoulQuestion | ChoiceQuestion | ScoreQuestion;

/** Questions by names of the caller's choice. */
export type Questions = Readonly<Record<string, Question>>;

/** The labels of a choice, as a union if the compiler knows them. */
export type LabelOf<Criteria> = Criteria extends readonly (infer Label extends string)[]
  ? Label
  : `${keyof Criteria & (string | number)}`;

type Probabilities<Name extends string> = Readonly<Record<Name, number>>;

/** The answer to a yes-or-no question. */
export interface NoulAnswer {
  readonly type: 'noul';
  /** The probability of yes, at least 0.80 or at most 0.20: compare it with 0.5. */
  readonly noul: number;
}

/** The answer to a choice between labels. */
export interface ChoiceAnswer<Label extends string = string> {
  readonly type: 'choice';
  readonly choice: Label;
  readonly confidence: number;
  readonly probabilities: Probabilities<Label>;
}

/** The answer on a scale of levels. */
export interface ScoreAnswer {
  readonly type: 'score';
  /** The number of the most probable level, from 0. */
  readonly level: number;
  /** The mean of the levels' numbers. */
  readonly score: number;
  readonly confidence: number;
  readonly legend: Readonly<Record<string, string>>;
  readonly probabilities: Probabilities<string>;
}

/** What `rawProbabilities` adds: probabilities that are neither rounded nor committed. */
interface Raw<Name extends string> {
  readonly raw_probabilities: Probabilities<Name>;
}

type MaybeRaw<Answer, Name extends string, WithRaw extends boolean> = WithRaw extends true
  ? Answer & Raw<Name>
  : Answer;

/** The answer to a question. `WithRaw`: whether raw probabilities were asked for. */
export type AnswerTo<Asked, WithRaw extends boolean = false> = Asked extends {
  readonly type: 'choice';
  readonly criteria: infer Criteria;
}
  ? MaybeRaw<ChoiceAnswer<LabelOf<Criteria>>, LabelOf<Criteria>, WithRaw>
  : Asked extends { readonly type: 'noul' }
    ? MaybeRaw<NoulAnswer, 'true' | 'false', WithRaw>
    : Asked extends { readonly type: 'score' }
      ? MaybeRaw<ScoreAnswer, string, WithRaw>
      : never;

/** The answers to questions, under the same names. */
export type AnswersTo<Asked extends Questions, WithRaw extends boolean = false> = {
  readonly [Name in keyof Asked]: AnswerTo<Asked[Name], WithRaw>;
};

/** An image file in memory, or one that a browser or `openAsBlob` has opened. PNG or JPEG. */
export type ImageSource = Uint8Array | ArrayBuffer | Blob;

/** Images by the references that name them in the state and the questions. */
export type Images = Readonly<Record<string, ImageSource | PromiseLike<ImageSource>>>;

/** A state and questions about it. */
export interface DecideRequest<Asked extends Questions = Questions> {
  /** A string, or a value that is sent as JSON. */
  readonly state: unknown;
  readonly questions: Asked;
  /** An id or a build of the list of models; the default model if absent. */
  readonly model?: string | null | undefined;
  readonly images?: Images | undefined;
  /** The most tokens that one use of an image may take; 280 if absent. */
  readonly image_budget?: 70 | 140 | 280 | undefined;
}

export type Usage = ApiSchemas['DecideResponse']['usage'];

/** An answered request. */
export interface DecideResponse<Asked extends Questions = Questions, WithRaw extends boolean = false> {
  /** The build that answered. */
  readonly model: string;
  readonly answers: AnswersTo<Asked, WithRaw>;
  readonly usage: Usage;
}

/** A line of a batch. */
export interface BatchLine<Asked extends Questions = Questions> extends DecideRequest<Asked> {
  /** 1 to 64 letters, digits, `_`, `.`, `:` and `-`, once in a batch. */
  readonly custom_id: string;
  readonly model: string;
}

export type Batch = ApiSchemas['Batch'];
export type SubmittedBatch = ApiSchemas['SubmitResponse'];

/** The result of a line: an answer, or the error of this line. */
export type BatchResult<Asked extends Questions = Questions> = AnsweredLine<Asked> | FailedLine;

interface ResultFacts {
  readonly custom_id: string;
  /** The build that answered; of a line without an answer, the model that it names. */
  readonly model: string;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number; readonly batch: true };
}

export interface AnsweredLine<Asked extends Questions = Questions> extends ResultFacts {
  readonly status: 200;
  readonly response: DecideResponse<Asked>;
  readonly error?: undefined;
}

export interface FailedLine extends ResultFacts {
  /** Null if the line never ran. */
  readonly status: number | null;
  readonly error: { readonly error: string; readonly type: string };
  readonly response?: undefined;
}

export type KeyLimits = ApiSchemas['Limits'];
export type KeyUsage = ApiSchemas['Usage'];
export type ModelList = ApiSchemas['ModelList'];
