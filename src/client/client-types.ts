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

/** A choice whose labels are whole numbers, among others: an object does not keep their order. */
export interface MappedChoiceQuestion<Label extends string = string> {
  readonly type: 'choice';
  readonly instructions?: string | null | undefined;
  /** What each label means. */
  readonly criteria: ReadonlyMap<Label, OptionText>;
}

export interface ScoreQuestion {
  readonly type: 'score';
  readonly instructions?: string | null | undefined;
  /** The levels, lowest first. */
  readonly criteria: readonly OptionText[];
}

export type Question = NoulQuestion | ChoiceQuestion | MappedChoiceQuestion | ScoreQuestion;

/** Questions by names of the caller's choice. */
export type Questions = Readonly<Record<string, Question>>;

/** The labels of a choice, as a union if the compiler knows them. */
export type LabelOf<Criteria> = Criteria extends readonly (infer Label extends string)[]
  ? Label
  : Criteria extends ReadonlyMap<infer Label extends string, OptionText>
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

/** What a caller can ask for besides the answers. */
export interface Diagnostics {
  /** Adds `raw_probabilities` to each answer: neither rounded nor committed. */
  readonly rawProbabilities?: boolean | undefined;
  /** Adds `label_mass` to each answer: the probability that the model gave to the labels of the options together. */
  readonly labelMass?: boolean | undefined;
}

/** The value of an option; false if it is not given. */
type Given<Options, Name extends string> = Options extends { readonly [Key in Name]: infer Flag }
  ? Flag
  : false;
/** A field of an answer that is there if `Flag` is true, and may be there if that is not known. */
type If<Flag, Field> = [Flag] extends [true] ? Field : true extends Flag ? Partial<Field> : unknown;

type Diagnosed<Answer, Name extends string, Options extends Diagnostics> = Answer &
  If<Given<Options, 'rawProbabilities'>, { readonly raw_probabilities: Probabilities<Name> }> &
  If<Given<Options, 'labelMass'>, { readonly label_mass: number }>;

/** Nothing but the answers. */
type Plain = Readonly<Record<never, never>>;
/** Lines of a batch say for themselves what they ask for. */
type Unknown = { readonly rawProbabilities: boolean; readonly labelMass: boolean };

/** The answer to a question. `More`: what was asked for besides it. */
export type AnswerTo<Asked, More extends Diagnostics = Plain> = Asked extends {
  readonly type: 'choice';
  readonly criteria: infer Criteria;
}
  ? Diagnosed<ChoiceAnswer<LabelOf<Criteria>>, LabelOf<Criteria>, More>
  : Asked extends { readonly type: 'noul' }
    ? Diagnosed<NoulAnswer, 'true' | 'false', More>
    : Asked extends { readonly type: 'score' }
      ? Diagnosed<ScoreAnswer, string, More>
      : never;

/** The answers to questions, under the same names. */
export type AnswersTo<Asked extends Questions, More extends Diagnostics = Plain> = {
  readonly [Name in keyof Asked]: AnswerTo<Asked[Name], More>;
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
export interface DecideResponse<Asked extends Questions = Questions, More extends Diagnostics = Plain> {
  /** The build that answered. */
  readonly model: string;
  readonly answers: AnswersTo<Asked, More>;
  readonly usage: Usage;
}

/** A line of a batch: with questions of its own, or with a task that asks them. */
export type BatchLine<Asked extends Questions = Questions> = QuestionLine<Asked> | TaskLine;

interface QuestionLine<Asked extends Questions> extends DecideRequest<Asked>, LineFields {
  readonly model: string;
  readonly task?: null | undefined;
}

interface TaskLine extends TaskState, LineFields {
  /** The name of a task of the workspace. The line asks the version in use when the batch is submitted. */
  readonly task: string;
  readonly questions?: null | undefined;
  readonly model?: null | undefined;
}

interface LineFields {
  /** 1 to 64 letters, digits, `_`, `.`, `:` and `-`, once in a batch. */
  readonly custom_id: string;
  /** What `rawProbabilities` is for a decision. */
  readonly raw_probabilities?: boolean | undefined;
  /** What `labelMass` is for a decision. */
  readonly label_mass?: boolean | undefined;
  /** What `optionRotations` is for a decision. */
  readonly option_rotations?: number | undefined;
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

/** The response of a line. `task`, and `accept` of each answer: of a line with a task only. */
type LineResponse<Asked extends Questions> = DecideResponse<Asked, Unknown> & {
  readonly task?: TaskAnswers['task'];
  readonly answers: { readonly [Name in keyof Asked]: { readonly accept?: boolean | null } };
};

export interface AnsweredLine<Asked extends Questions = Questions> extends ResultFacts {
  readonly status: 200;
  readonly response: LineResponse<Asked>;
  readonly error?: undefined;
}

/** The statuses of errors (docs/errors.md). Without 200, so that `status` tells both kinds of results apart. */
type ErrorStatus =
  | 400
  | 401
  | 402
  | 403
  | 404
  | 405
  | 408
  | 409
  | 411
  | 413
  | 415
  | 422
  | 429
  | 431
  | 500
  | 502
  | 503
  | 505;

export interface FailedLine extends ResultFacts {
  /** Null if the line never ran. */
  readonly status: ErrorStatus | null;
  readonly error: { readonly error: string; readonly type: string };
  readonly response?: undefined;
}

export type DecisionsRequest = ApiSchemas['DecisionsRequest'];
export type DecisionsResponse = ApiSchemas['DecisionsResponse'];

/** What a task asks, and how well its accepted answers must be. */
export interface TaskContent<Asked extends Questions = Questions> {
  readonly questions: Asked;
  /** An id or a build of the list of models; the default model if absent. */
  readonly model?: string | null | undefined;
  readonly description?: string | null | undefined;
  /** The most that the share of errors among accepted answers may be; 0.05 if absent. */
  readonly target_error?: number | undefined;
  /** With which probability the target error holds; 0.95 if absent. */
  readonly confidence?: number | undefined;
  /** A second build that is run on a share of the requests, above 0 to 1; none if absent. */
  readonly shadow?: { readonly model: string; readonly share: number } | null | undefined;
}

/** A state for the questions of a task. */
export type TaskState = Omit<DecideRequest, 'questions' | 'model'>;

/** The answer to a question of a task. */
export type TaskAnswer<Asked> = AnswerTo<Asked> & {
  /** Whether the answer passes the threshold in force; null without one. */
  readonly accept: boolean | null;
};

/** The answers to the questions of a task. */
export interface TaskAnswers<Asked extends Questions = Questions> {
  /** The build that answered. */
  readonly model: string;
  readonly answers: { readonly [Name in keyof Asked]: TaskAnswer<Asked[Name]> };
  readonly usage: Usage;
  readonly task: { readonly name: string; readonly version: number };
}

/** The correct answer to a question: `true` or `false` for a noul, a label for a choice, a level for a score. */
export type Expected<Asked> = Asked extends { readonly type: 'choice'; readonly criteria: infer Criteria }
  ? LabelOf<Criteria>
  : Asked extends { readonly type: 'noul' }
    ? boolean
    : number;

/** The correct answers of a request, of a line of a batch, or of a state that is decided first; null takes a label back. */
export type TaskLabel<Asked extends Questions = Questions> = {
  readonly expected: { readonly [Name in keyof Asked]?: Expected<Asked[Name]> | null };
} & ({ readonly request_id: string } | { readonly batch_id: string; readonly custom_id: string } | TaskState);

/** What labels say about each question of a task, and the thresholds. */
export type TaskFit = ApiSchemas['TaskFit'];
/** The version and the shadow build that must be in use for a promotion. */
export type TaskPromotion = ApiSchemas['TaskPromotion'];
export type StoredLabels = ApiSchemas['TaskLabels'];

export type Task = ApiSchemas['Task'];
export type TaskSummary = ApiSchemas['TaskList']['data'][number];
export type DeletedTask = ApiSchemas['TaskDeleted'];

export type KeyLimits = ApiSchemas['Limits'];
export type KeyUsage = ApiSchemas['Usage'];
export type ModelList = ApiSchemas['ModelList'];
