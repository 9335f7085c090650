import { Template } from '@huggingface/jinja';
import { type ChatFrame, renderInTime, TooSlow } from './chat.js';
import {
  type Format,
  ProfileError,
  type PromptPart,
  type QuestionShape,
  type Slot,
  SlowTemplateError,
} from './profile-types.js';

/** A rendered prompt of one shape: template text and slots, in order. */
export type TemplatePiece = string | Omit<Extract<PromptPart, { kind: 'slot' }>, 'kind'>;

/** The option at each place of the prompt: noul may list no before yes. */
export function displayOrder(format: Format, shape: QuestionShape): number[] {
  const order = shape.described.map((_, index) => index);
  // The options of a noul question are true, false (decide's order).
  return shape.type === 'noul' && format.noulFirst === 'false' ? order.reverse() : order;
}

/** Compiles a format's Jinja source. Throws ProfileError. */
export function compileTemplate(format: Format): Template {
  try {
    return renderInTime(() => new Template(format.template));
  } catch (error) {
    if (error instanceof TooSlow) throw new SlowTemplateError('parse');
    throw new ProfileError(`its decision template does not parse: ${(error as Error).message}`);
  }
}

/**
 * A placeholder for a caller's string: white space around control characters around `<`, a number, and characters that
 * filters change: both cases, inner white space, a line break, characters that HTML escapes.
 */
const standInFor = (index: number) => ` \u0001<${index}${CHANGEABLE}\u0001 `;
const CHANGEABLE = " ab Z  >&'é\nß";
const STAND_IN = new RegExp(
  [
    '( ?)(?:',
    `\\u0001(<|\\\\u003c)(\\d+)${escapePattern(CHANGEABLE)}\\u0001`,
    '|',
    `\\\\u0001(<|\\\\u003c)(\\d+)${escapePattern(JSON.stringify(CHANGEABLE).slice(1, -1))}\\\\u0001`,
    ')( ?)',
  ].join(''),
  'g',
);

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/**
 * Renders a template for one shape of question, with a placeholder for each string of the caller.
 *
 * The rendered placeholder reveals what the template does to a string: whether it is escaped as JSON, whether `<` is
 * replaced, and whether white space is trimmed. Any other change makes the placeholder unrecognizable, and the model is
 * refused: a string that cannot be traced through the template cannot be kept apart from the template's own text.
 */
export function renderShape(
  template: Template,
  format: Format,
  chat: ChatFrame,
  labels: readonly string[],
  shape: QuestionShape,
): TemplatePiece[] {
  const slots: Slot[] = [];
  const standIn = (slot: Slot) => standInFor(slots.push(slot) - 1);
  const options = displayOrder(format, shape).map((option, place) => ({
    key: optionKey(shape, option, standIn),
    description: shape.described[option] ? standIn({ of: 'description', option }) : null,
    label: labels[place],
  }));
  let text: string;
  try {
    text = renderInTime(() =>
      template.render({
        id: standIn({ of: 'name' }),
        type: shape.type,
        state: standIn({ of: 'state' }),
        instructions: shape.hasInstructions ? standIn({ of: 'instructions' }) : null,
        options,
        // A template that renders all questions would make answers depend on each other: refused below.
        questions: [{ id: '\u0001', type: '\u0001', instructions: '\u0001' }],
        images: [],
        chat_head: chat.head,
        chat_tail: chat.tail,
      }),
    );
  } catch (error) {
    if (error instanceof TooSlow) throw new SlowTemplateError();
    throw new ProfileError(`its decision template does not render: ${(error as Error).message}`);
  }
  return split(text, slots);
}

/** For an option without a description the model sees its name: Yes, No, the label, Level n (contract 2.2). */
function optionKey(shape: QuestionShape, option: number, standIn: (slot: Slot) => string): string {
  if (shape.type === 'choice') return standIn({ of: 'label', option });
  const described = shape.described[option] === true;
  if (shape.type === 'score') return described ? String(option) : `Level ${option}`;
  if (described) return option === 0 ? 'true' : 'false';
  return option === 0 ? 'Yes' : 'No';
}

function split(text: string, slots: readonly Slot[]): TemplatePiece[] {
  const pieces: TemplatePiece[] = [];
  let end = 0;
  for (const match of text.matchAll(STAND_IN)) {
    const [whole, before, rawLess, rawIndex, jsonLess, jsonIndex, after] = match;
    const slot = slots[Number(rawIndex ?? jsonIndex)];
    if (slot === undefined || before !== after) throw new ProfileError(CHANGED);
    if (match.index > end) pieces.push(text.slice(end, match.index));
    pieces.push({
      slot,
      json: jsonIndex !== undefined,
      escapesLess: (rawLess ?? jsonLess) !== '<',
      trims: before === '',
    });
    end = match.index + whole.length;
  }
  if (end < text.length) pieces.push(text.slice(end));
  const rest = pieces.filter((piece) => typeof piece === 'string').join('');
  if (rest.includes('\u0001') || rest.includes('\\u0001')) throw new ProfileError(CHANGED);
  return pieces;
}

const CHANGED =
  'its decision template changes its inputs in a way that is not supported, or renders all questions';

/** Removes the quotes around a JSON state, which is inserted as JSON and not as a string that contains JSON. */
export function unquoteState(pieces: readonly TemplatePiece[]): TemplatePiece[] {
  const result = [...pieces];
  result.forEach((piece, index) => {
    if (typeof piece === 'string' || piece.slot.of !== 'state' || !piece.json) return;
    const [before, after] = [result[index - 1], result[index + 1]];
    if (typeof before !== 'string' || !before.endsWith('"')) return;
    if (typeof after !== 'string' || !after.startsWith('"')) return;
    result[index - 1] = before.slice(0, -1);
    result[index + 1] = after.slice(1);
    result[index] = { ...piece, json: false };
  });
  return result;
}
