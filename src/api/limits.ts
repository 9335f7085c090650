/** The limits of contract 8 and our own, one name each, the unit last. */
export const LIMITS = {
  /** Contract 8: a decide body as sent. */
  bodyBytes: 32 * 1024 * 1024,
  /** Contract 8: a decide body decompressed. */
  decompressedBodyBytes: 32 * 1024 * 1024,
  /** Ours: the history that a zstd frame may ask its reader to keep. */
  zstdWindowBytes: 32 * 1024 * 1024,
  /** Ours: parts of a multipart body; well over what is of use, so that too many images are told as such. */
  multipartParts: 64,
  /** Ours: the header of one part. */
  multipartHeaderBytes: 8 * 1024,
  /** Contract 8: lines of a batch file, blank ones not counted. */
  batchLines: 50_000,
  /** Contract 2.5 `custom_id`. */
  customIdCharacters: 64,
  /** Contract 2.9: invalid lines that are listed; all are counted. */
  batchErrors: 100,
  /** Contract 8: batches of a key that are queued or running. */
  batchesOpen: 10,
  /** Ours: batches of one page, where a list is asked for with a limit. */
  batchesListed: 100,
  /** Ours: an `Idempotency-Key`, in characters. */
  idempotencyKeyCharacters: 255,
  questions: 16,
  /** Ours: the name of a question, which comes back in the answer, in code points. */
  questionNameCodePoints: 1_024,
  optionsPerQuestion: 26,
  scoreLevelsMin: 2,
  /** Contract 4.3 rule 6: what the model reads of a state, in Unicode code points. */
  stateCodePoints: 20_000,
  /** Ours: an object or a list that a client of the family sends in place of a text, as indented JSON, in code points. */
  structuredTextCodePoints: 20_000,
  /** Contract 8: images of a request. */
  assets: 8,
  /** Contract 8: images shown in one question; each use counts. */
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
  /** Ours: JSON nesting, which bounds the recursion of every reader behind the scan. */
  jsonDepth: 64,
  /** Ours: objects and arrays in one body, which bounds what a body can make of memory. */
  jsonContainers: 200_000,
  /** Ours: values in one body. A number takes 0.3 µs to read and check, a string or an object 0.5: 0.25 s in all. */
  jsonValues: 500_000,
  /**
   * Ours: different object keys in one body, a key counted once behind each sequence of keys: see `KeyCount`. One takes
   * 1.5 µs, five times as long as a number; these 0.15 s.
   */
  jsonKeys: 100_000,
  /** Ours: the longest caller's name (question, label, model) that an error message repeats, in code points. */
  quotedNameCodePoints: 64,
  /** Contract 8: the address of a webhook. */
  webhookAddressCodePoints: 2_048,
  /** Contract 8: how often a webhook is called in all. */
  webhookAttempts: 3,
  /** Contract 8: one call of a webhook, from looking up its host to the end of the answer's header. */
  webhookTimeoutMs: 10_000,
  /** Ours: the header of an answer to a webhook; its body is not read. */
  webhookAnswerHeaderBytes: 16 * 1024,
  /** Ours: answers of 1xx to a webhook before the one that counts. */
  webhookInterimAnswers: 8,
} as const;

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
