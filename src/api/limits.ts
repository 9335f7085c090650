/** The limits of contract 8 and additional ones, marked "Ours". The unit ends each name. */
export const LIMITS = {
  /** Contract 8: a decide body as sent. */
  bodyBytes: 32 * 1024 * 1024,
  /** Contract 8: a decide body decompressed. */
  decompressedBodyBytes: 32 * 1024 * 1024,
  /** Ours: the window of a zstd frame. */
  zstdWindowBytes: 32 * 1024 * 1024,
  /** Ours: frames of a zstd body, skippable ones included. One takes a microsecond, whatever it holds: 0.1 s in all. */
  zstdFrames: 100_000,
  /** Ours: parts of a multipart body; more than useful, so that too many images get their own error. */
  multipartParts: 64,
  /** Ours: the header of one part. */
  multipartHeaderBytes: 8 * 1024,
  /** Contract 8: lines of a batch file, blank ones not counted. */
  batchLines: 50_000,
  /** Contract 2.5 `custom_id`. */
  customIdCharacters: 64,
  /** Contract 2.9: invalid lines listed in an error; all are counted. */
  batchErrors: 100,
  /** Contract 8: batches of a key that are queued or running. */
  batchesOpen: 10,
  /** Ours: maximum `limit` of a list of batches. */
  batchesListed: 100,
  /** Ours: maximum and default `days` of the usage of a key. */
  usageDays: 92,
  usageDaysDefault: 30,
  /** Ours: an `Idempotency-Key`, in characters. */
  idempotencyKeyCharacters: 255,
  questions: 16,
  /** Ours: the name of a question, which the response repeats, in code points. */
  questionNameCodePoints: 1_024,
  optionsPerQuestion: 26,
  scoreLevelsMin: 2,
  /** Of `/v1/decisions`, as its clients know it. */
  decisionQuestions: 400,
  /** Ours: text of questions that do not fit the context window, which is tokenized without a charge: 0.5 s. */
  leftOutBytes: 1024 * 1024,
  /** Of a choice on `/v1/decisions`. A model may have fewer labels. */
  decisionChoices: 255,
  decisionChoicesMin: 2,
  /** Ours: of a score on `/v1/decisions`; as many as on `/v1/decide`. */
  decisionLevels: 26,
  /** Ours: orders of its options in which a choice can be asked: every rotation of the most options. */
  optionRotations: 26,
  /** Ours: prompts of a request whose choices are asked in several orders. */
  promptsPerRequest: 400,
  /** Contract 4.3 rule 6: what the model reads of a state, in Unicode code points. */
  stateCodePoints: 20_000,
  /** Ours: an object or array sent in place of a string on `/v1/systemone`, as indented JSON, in code points. */
  structuredTextCodePoints: 20_000,
  /** Contract 8: images of a request. */
  assets: 8,
  /** Contract 8: images displayed in one question; each use counts. */
  imagesPerQuestion: 8,
  /** Contract 2.3: one reference, in UTF-8. */
  referenceBytes: 1_024,
  /** Contract 2.3: all references of a request together, in UTF-8. */
  referencesBytes: 64 * 1024,
  /** Contract 8: an image after base64 decoding. */
  imageBytes: 16 * 1024 * 1024,
  /** Contract 8: width and height of an image, each. */
  imageSidePixelsMin: 280,
  imageSidePixelsMax: 1_568,
  /** Ours: pixels of an image that is scaled whatever its sides are. */
  scaledImagePixels: 40_000_000,
  /** Ours: its longer side divided by its shorter one. */
  scaledImageProportion: 40,
  /** Ours: pixels of the different images of such a request; a JPEG of more than 4 scans counts once for every 4. */
  scaledRequestPixels: 200_000_000,
  /** Ours: pixels of the different images of a batch file; a JPEG of more than 4 scans counts once for every 4. */
  batchPixels: 2_000_000_000,
  /** Ours: scans of a JPEG. Each takes as long as decoding the image once; encoders write at most 18. */
  jpegScans: 20,
  /** Ours: markers of a JPEG outside of its scans, which bounds the memory of its structure. */
  jpegMarkers: 10_000,
  /** Ours: JSON nesting, which bounds the recursion of every later reader. */
  jsonDepth: 64,
  /** Ours: objects and arrays in one body, which bounds the memory of the parsed body. */
  jsonContainers: 200_000,
  /** Ours: values in one body. A number takes 0.3 µs to read and check, a string or an object 0.5: 0.25 s in all. */
  jsonValues: 500_000,
  /**
   * Ours: different object keys in one body, a key counted once behind each sequence of keys: see `KeyCount`. One takes
   * 1.5 µs, five times as long as a number; these 0.15 s.
   */
  jsonKeys: 100_000,
  /** Ours: maximum length of a caller's name (question, label, model) quoted in an error message, in code points. */
  quotedNameCodePoints: 64,
  /** Contract 8: the address of a webhook. */
  webhookAddressCodePoints: 2_048,
  /** Contract 8: maximum calls of a webhook. */
  webhookAttempts: 3,
  /** Contract 8: time limit of a webhook call, from the DNS lookup to the end of the response header. */
  webhookTimeoutMs: 10_000,
  /** Ours: tasks of a workspace. */
  tasks: 100,
  /** Ours: versions of a task. */
  taskVersions: 100,
  /** Ours: the body of a task, as sent and decompressed: its questions are stored, whether they are asked or not. */
  taskBytes: 256 * 1024,
  /** Ours: the questions of all versions of a workspace's tasks. */
  tasksBytes: 16 * 1024 * 1024,
  /** Ours: the questions of the tasks that a batch names, together. */
  batchTasksBytes: 4 * 1024 * 1024,
  /** Ours: of a batch, the questions of tasks that are searched for images: once for each line with images. */
  batchSearchedBytes: 32 * 1024 * 1024,
  /** Ours: the description of a task. */
  taskDescriptionCodePoints: 1_024,
  /** Ours: `target_error` of a task, from and to. */
  taskTargetErrors: [0.001, 0.5],
  /** Ours: `confidence` of a task, from and to. */
  taskConfidences: [0.5, 0.999],
  /** Ours: the body of a call that promotes a shadow, as sent and decompressed. */
  promotionBytes: 1024,
  /** Ours: answers that are kept of a task; the oldest goes. */
  taskAnswers: 100_000,
  /** Ours: labelled answers of the version in use of a task; those of earlier versions make room. */
  taskLabels: 20_000,
  /** Ours: the body of a call with labels, as sent and decompressed; its lines; and those with a state. */
  labelBytes: 4 * 1024 * 1024,
  labelLines: 1_000,
  labelStates: 100,
  /** Ours: the header of a webhook response; its body is not read. */
  webhookAnswerHeaderBytes: 16 * 1024,
  /** Ours: 1xx responses to a webhook before the final one. */
  webhookInterimAnswers: 8,
} as const;

const CUSTOM_ID = new RegExp(`^[A-Za-z0-9_.:-]{1,${LIMITS.customIdCharacters}}$`);

/** Whether a text can be a `custom_id` (contract 2.5). */
export const isCustomId = (text: string): boolean => CUSTOM_ID.test(text);

const BATCH_ID = /^batch_[A-Za-z0-9]{24}$/;

/** Whether a text can be the id of a batch. Others are refused without a look-up: LMDB limits the length of keys. */
export const isBatchId = (text: string): boolean => BATCH_ID.test(text);

/** Contract 2.3: the values of an asset's `format`, and what they mean. */
export const IMAGE_FORMATS = { png: 'png', jpg: 'jpeg', jpeg: 'jpeg' } as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[keyof typeof IMAGE_FORMATS];

/** Contract 2.1: the values of `image_budget`. */
export const IMAGE_BUDGETS = [70, 140, 280] as const;
export type ImageBudget = (typeof IMAGE_BUDGETS)[number];
export const DEFAULT_IMAGE_BUDGET: ImageBudget = 280;

/** Contract 2.2: the values of a question's `type`. */
export const QUESTION_TYPES = ['noul', 'choice', 'score'] as const;
export type QuestionType = (typeof QUESTION_TYPES)[number];

/** What the options of a question are: its two sides, labels in any order, or levels, lowest first. */
export type OptionKind = 'sides' | 'labels' | 'levels';
/** Decides how `criteria` are written and how a model is asked; the type itself only decides the answer. */
export const OPTION_KINDS: Readonly<Record<QuestionType, OptionKind>> = {
  noul: 'sides',
  choice: 'labels',
  score: 'levels',
};

/** The types as a part of a sentence: `noul, choice or score`. */
export function questionTypes(quote = ''): string {
  const names = QUESTION_TYPES.map((name) => quote + name + quote);
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
