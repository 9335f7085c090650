import { type ImageBudget, OPTION_KINDS, type QuestionType } from '../../api/index.js';

/** An option as the form has it. Two sides are yes and no; levels have no label. */
export interface OptionDraft {
  /** Unique on this page; a row keeps its focus when others come and go. */
  readonly id: number;
  readonly label: string;
  readonly description: string;
}

/** A question as the form has it. */
export interface QuestionDraft {
  readonly id: number;
  readonly name: string;
  readonly type: QuestionType;
  readonly instructions: string;
  readonly options: readonly OptionDraft[];
  /** The options that the question had while it was of another type; not part of the request. */
  readonly others?: Partial<Readonly<Record<QuestionType, readonly OptionDraft[]>>>;
}

/** An image that was dropped in. */
export interface ImageDraft {
  readonly id: number;
  /** The reference by which the request names it. */
  readonly name: string;
  readonly file: Blob;
  readonly format: 'png' | 'jpeg';
  readonly width: number;
  readonly height: number;
  /** The name of the file that it came from. */
  readonly source: string;
  /** Whether it was made smaller, to the limits. */
  readonly scaled: boolean;
  /** Whether it was turned, as its EXIF data say. */
  readonly turned: boolean;
}

/** A request that is being written. */
export interface Draft {
  readonly stateKind: 'text' | 'json';
  readonly state: string;
  readonly images: readonly ImageDraft[];
  readonly questionsKind: 'form' | 'json';
  readonly questions: readonly QuestionDraft[];
  readonly questionsJson: string;
  /** '': the default model. */
  readonly model: string;
  readonly imageBudget: ImageBudget;
}

/** New values of some fields; a function gets the draft as it is when they are set. */
export type DraftPart = Partial<Draft> | ((now: Draft) => Partial<Draft>);

export const withPart = (draft: Draft, part: DraftPart): Draft => ({
  ...draft,
  ...(typeof part === 'function' ? part(draft) : part),
});

let ids = 0;
export const nextId = (): number => {
  ids += 1;
  return ids;
};

export const option = (label = '', description = ''): OptionDraft => ({ id: nextId(), label, description });

/** The options of a new question of a type. */
export function optionsFor(type: QuestionType): OptionDraft[] {
  if (OPTION_KINDS[type] === 'sides') return [option('Yes'), option('No')];
  return [option(), option()];
}

export function question(
  name: string,
  type: QuestionType,
  instructions: string,
  options: readonly OptionDraft[] = optionsFor(type),
): QuestionDraft {
  return { id: nextId(), name, type, instructions, options };
}

/** A question of another type. It keeps its options for when it is changed back. */
export function withType(question: QuestionDraft, type: QuestionType): QuestionDraft {
  const others = { ...question.others, [question.type]: question.options };
  return { ...question, type, options: others[type] ?? optionsFor(type), others };
}

const withoutEnds = (name: string): string => name.slice(1, -1);

/**
 * The fields of a draft with further images. Each image gets a unique name; a state that is text gets the new names at its
 * end.
 */
export function addedImages(
  { images, stateKind, state }: Draft,
  made: readonly ImageDraft[],
): Partial<Draft> {
  const all = [...images];
  for (const image of made) {
    // In the brackets: the texts would name an image whose name is the beginning of another one.
    const taken = all.map(({ name }) => withoutEnds(name));
    all.push({ ...image, name: `[${freeName(taken, withoutEnds(image.name))}]` });
  }
  if (stateKind === 'json' || made.length === 0) return { images: all };
  const names = all.slice(images.length).map(({ name }) => name);
  return { images: all, state: `${state}${state === '' ? '' : '\n'}${names.join(' ')}` };
}

/** A name that no other has: `question_2`. */
export function freeName(taken: readonly string[], wanted: string): string {
  if (!taken.includes(wanted)) return wanted;
  let number = 2;
  while (taken.includes(`${wanted}_${number}`)) number += 1;
  return `${wanted}_${number}`;
}
