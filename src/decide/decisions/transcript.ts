import type { ImageUse, JsonNode } from '../decide-types.js';
import { stateText } from '../request/state-text.js';
import type { Call, Item } from './items.js';
import type { Part } from './parts.js';

/** A text with images in it. */
interface ShownText {
  readonly text: string;
  /** Each at a place between two characters. */
  readonly uses: readonly ImageUse[];
}

/** What the model reads of `input`: the state, and the images in it. */
export interface ShownInput {
  readonly state: JsonNode;
  readonly uses: readonly ImageUse[];
}

/**
 * The state that the items of `input` give. A single user message of one part is read as this part: the text itself, JSON
 * (which is indented later), or the image. Anything else is a transcript:
 *
 * ```text
 * user:
 *   I was charged twice.
 *   See order 17.
 *
 * function call 1, lookup_order:
 *   {"order":17}
 *
 * output of function call 1, lookup_order:
 *   paid: 2 × 19.99
 * ```
 *
 * Each item is a heading at the start of a line and, below it, each of its parts, with every line indented by two spaces.
 * Callers' text is in indented lines only, and names of tools are quoted if they are unusual: so no text can look like a
 * heading to a reader who looks at the start of lines.
 *
 * @param most only the first `most` code points of the state are needed: the rest may be shorter, and images in it are after
 *   these code points. Indentation makes line ends three times longer, and a small compressed body may have millions.
 */
export function showInput(items: readonly Item[], most: number): ShownInput {
  const [first] = items;
  if (items.length === 1 && first?.kind === 'message' && first.role === 'user' && first.parts.length === 1) {
    const [part] = first.parts as readonly [Part];
    if (part.kind === 'json') return { state: part.value, uses: [] };
    return asState(joinParts(first.parts, most));
  }
  const shown = new TextWithImages(most);
  items.flatMap(blocksOf).forEach(({ heading, parts }, index) => {
    shown.add(`${index === 0 ? '' : '\n\n'}${heading}:`);
    for (const part of parts) {
      shown.add(`\n${INDENT}`);
      shown.show(part, indentedText);
    }
  });
  return asState(shown);
}

/** Parts one below the other, each as it is: the instructions of a question. `most`: see `showInput`. */
export function joinParts(parts: readonly Part[], most: number): ShownText {
  const shown = new TextWithImages(most);
  parts.forEach((part, index) => {
    if (index > 0) shown.add('\n');
    shown.show(part, plainText);
  });
  return shown;
}

const asState = ({ text, uses }: ShownText): ShownInput => ({ state: { kind: 'text', value: text }, uses });

/** A part that is text. */
type Written = Exclude<Part, { readonly kind: 'image' }>;

/** Writes a part; the result is needed up to `unitsMax` code units only. */
type Write = (part: Written, unitsMax: number) => string;

class TextWithImages implements ShownText {
  text = '';
  readonly uses: ImageUse[] = [];
  /** Behind everything added, also what is not in the text. */
  private end = 0;
  /** The text is complete up to this length. A code point is at most two units, so `most` of them end before it. */
  private readonly unitsMax: number;

  constructor(most: number) {
    this.unitsMax = most * 2 + 1;
  }

  add(text: string): void {
    if (this.unitsLeft > 0) this.text += text;
    this.end += text.length;
  }

  show(part: Part, write: Write): void {
    if (part.kind === 'image') this.uses.push({ start: this.end, end: this.end, asset: part.image });
    else if (this.unitsLeft > 0) this.add(write(part, this.unitsLeft));
  }

  private get unitsLeft(): number {
    return this.unitsMax - this.text.length;
  }
}

interface Block {
  readonly heading: string;
  readonly parts: readonly Part[];
}

/** One block per item; where an assistant refuses within a message, the refusal is a block of its own. */
function blocksOf(item: Item): Block[] {
  if (item.kind === 'call') return [{ heading: callText(item.call), parts: item.parts }];
  if (item.kind === 'output') return [{ heading: `output of ${callText(item.call)}`, parts: item.parts }];
  const { role, parts } = item;
  const blocks: Array<{ heading: string; parts: Part[] }> = [];
  if (parts[0]?.kind !== 'refusal') blocks.push({ heading: role, parts: [] });
  for (const part of parts) {
    const heading = part.kind === 'refusal' ? `${role}, refusal` : role;
    const last = blocks.at(-1);
    if (last?.heading === heading) last.parts.push(part);
    else blocks.push({ heading, parts: [part] });
  }
  return blocks;
}

function callText({ title, number, namespace, name }: Call): string {
  const names = namespace === null ? [name] : [namespace, name];
  return `${title} ${number}, ${names.map(nameText).join('.')}`;
}

/** Names as OpenAI allows them; others are quoted, so that they cannot end a heading. */
const USUAL_NAME = /^[\w-]{1,128}$/;
const nameText = (name: string) => (USUAL_NAME.test(name) ? name : oneLine(JSON.stringify(name)));

const INDENT = '  ';
/** What Unicode takes for the end of a line. */
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

const plainText: Write = (part, unitsMax) =>
  part.kind === 'json' ? stateText(part.value, unitsMax) : part.text;

/** The lines after the first are indented. In JSON only line feeds between values end lines. */
function indentedText(part: Written, unitsMax: number): string {
  const text = part.kind === 'json' ? oneLine(stateText(part.value, unitsMax)) : part.text.slice(0, unitsMax);
  return text.replace(LINE_END, `$&${INDENT}`);
}

/** Escapes the line ends that JSON allows within strings. */
const oneLine = (json: string) =>
  json.replace(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`);
