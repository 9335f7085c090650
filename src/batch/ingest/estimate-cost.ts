import { type CheckedRequest, type ImageUses, type Question, rotationsOf } from '../../decide/index.js';

/** Bytes of text per token, and tokens per use of an image (contract 2.6 `estimated_cost`). */
const BYTES_PER_TOKEN = 4;
const TOKENS_PER_IMAGE_USE = 280;

/** The estimated input tokens of a model's lines. */
export interface ModelTokens {
  readonly model: string;
  readonly tokens: number;
}

/**
 * Estimates the input tokens of a line, at least one. The base64 of its images does not count as text. A choice counts
 * again for each further order in which it is asked.
 */
export function estimateLine(lineBytes: number, line: CheckedRequest): number {
  const { request, uses, images, diagnostics } = line;
  const imageBytes = images.reduce((sum, { data }) => sum + data.length, 0);
  const own = uses.questions.flatMap(usesOf);
  const count = own.length + uses.state.length;
  const once = Math.ceil((lineBytes - imageBytes) / BYTES_PER_TOKEN) + count * TOKENS_PER_IMAGE_USE;
  return request.questions.reduce((sum, question, index) => {
    const again = rotationsOf(question, diagnostics.optionRotations).length - 1;
    if (again === 0) return sum;
    const shown = usesOf(uses.questions[index] as QuestionUses).length;
    return sum + again * (Math.ceil(textBytes(question) / BYTES_PER_TOKEN) + shown * TOKENS_PER_IMAGE_USE);
  }, once);
}

type QuestionUses = ImageUses['questions'][number];

const usesOf = ({ instructions, descriptions }: QuestionUses) => [...instructions, ...descriptions.flat()];

/** Those of a task are asked by many lines, and may be large. */
const TEXT_BYTES = new WeakMap<Question, number>();

function textBytes(question: Question): number {
  const known = TEXT_BYTES.get(question);
  if (known !== undefined) return known;
  const { instructions, options } = question;
  const texts = [instructions, ...options.flatMap(({ name, description }) => [name, description])];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);
  TEXT_BYTES.set(question, bytes);
  return bytes;
}

/** Sums the estimates of the lines for each model (contract 2.6 `estimated_cost`). */
export class TokenSums {
  private readonly sums = new Map<string, number>();

  add({ model, tokens }: ModelTokens): void {
    this.sums.set(model, (this.sums.get(model) ?? 0) + tokens);
  }

  /** In the order of the models' first lines. */
  all(): ModelTokens[] {
    return [...this.sums].map(([model, tokens]) => ({ model, tokens }));
  }
}
