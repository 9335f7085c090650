import { CallError, isTooLong } from '../api/error.js';
import type { Draft } from './ask-draft.js';
import { NotReady } from './request.js';

/** The field of a form that an error is about. */
export type WrongField =
  | { readonly kind: 'state' | 'questions' | 'images' }
  /** A question by its number, from 0. */
  | { readonly kind: 'question'; readonly at: number; readonly part: 'name' | 'instructions' | 'options' };

const STATE_TYPES: readonly string[] = ['missing', 'image_reference_truncated'];
const IMAGE_TYPES: readonly string[] = [
  'image_dimensions',
  'image_too_large',
  'unsupported_image_format',
  'invalid_image',
  'unreferenced_asset',
  'too_many_images',
  'images_not_supported',
];

/** The field that is to be corrected; null if the error names none. */
export function wrongFieldOf(error: unknown, draft: Draft): WrongField | null {
  if (error instanceof NotReady) {
    const { field } = error;
    return typeof field === 'number' ? { kind: 'question', at: field, part: 'name' } : { kind: field };
  }
  if (!(error instanceof CallError)) return null;
  if (STATE_TYPES.includes(error.type) || isTooLong(error.message)) return { kind: 'state' };
  if (IMAGE_TYPES.includes(error.type)) return { kind: 'images' };
  const at = questionOf(error.message, draft);
  if (at === null) return null;
  if (draft.questionsKind === 'json') return { kind: 'questions' };
  return { kind: 'question', at, part: partOf(error) };
}

/** The message of an error that is about a part of the form; null if it is about another one, or if there is none. */
export const messageFor = (
  wrong: { readonly error: unknown; readonly field: WrongField | null } | null,
  kind: WrongField['kind'],
): string | null =>
  wrong !== null && wrong.field?.kind === kind && wrong.error instanceof Error ? wrong.error.message : null;

/** Messages begin with `Question "name":`; a long name is cut. */
const NAMED = /^Question ("(?:[^"\\]|\\.)*")/;

function questionOf(message: string, { questionsKind, questions }: Draft): number | null {
  const [, quoted] = NAMED.exec(message) ?? [];
  if (quoted === undefined) return null;
  if (questionsKind === 'json') return 0;
  const [start = ''] = (JSON.parse(quoted) as string).split('…');
  const exact = questions.findIndex(({ name }) => JSON.stringify(name) === quoted);
  const found = exact >= 0 ? exact : questions.findIndex(({ name }) => name.startsWith(start));
  return found < 0 ? null : found;
}

function partOf({ type, message }: CallError): 'name' | 'instructions' | 'options' {
  if (message.includes('`instructions`')) return 'instructions';
  return message.includes('`criteria`') || type === 'too_many_options' ? 'options' : 'name';
}
