import type { JsonNode } from '../decide-types.js';
import { toWellFormed, truncateCodePoints } from './strings.js';

export type TextNode = Extract<JsonNode, { kind: 'text' }>;
type OnText = (node: TextNode, start: number) => void;

/**
 * The state as the model reads it (contract 2.1): a string as it is, with lone surrogates replaced by U+FFFD; any other
 * value as JSON indented by two spaces, with its keys in the order sent, including repeated ones, and its numbers as
 * written.
 *
 * @param maxCodePoints stops there. Indentation can make a body a hundred times longer, past the maximum length of a
 *   string, so pass a limit if only the start is needed (contract 4.3 rule 6).
 * @param onText called for each string value that is written, with the offset of its JSON string in code units
 * @returns the first `maxCodePoints` code points
 * @throws RangeError if the result exceeds the maximum length of a string
 */
export function stateText(
  state: JsonNode,
  maxCodePoints = Number.POSITIVE_INFINITY,
  onText: OnText = () => {},
): string {
  if (state.kind === 'text') return toWellFormed(truncateCodePoints(state.value, maxCodePoints));
  // A code point is at most two code units, so this many units hold enough.
  const writer = new IndentedWriter(maxCodePoints * 2, onText);
  writer.value(state, '\n');
  return truncateCodePoints(writer.text, maxCodePoints);
}

class IndentedWriter {
  text = '';

  /** @param maxUnits the length at which writing may stop */
  constructor(
    private readonly maxUnits: number,
    private readonly onText: OnText,
  ) {}

  /** @param lineBreak a newline and the indentation of the current line */
  value(node: JsonNode, lineBreak: string): void {
    switch (node.kind) {
      case 'text':
        this.onText(node, this.text.length);
        this.text += JSON.stringify(node.value);
        break;
      case 'literal':
        this.text += node.source;
        break;
      case 'array':
        this.list(node.items, '[]', lineBreak, (item, inner) => this.value(item, inner));
        break;
      case 'object':
        this.list(node.entries, '{}', lineBreak, ([key, value], inner) => {
          this.text += `${JSON.stringify(key)}: `;
          this.value(value, inner);
        });
        break;
    }
  }

  private list<Item>(
    items: readonly Item[],
    brackets: '[]' | '{}',
    lineBreak: string,
    write: (item: Item, inner: string) => void,
  ): void {
    if (items.length === 0) {
      this.text += brackets;
      return;
    }
    const inner = `${lineBreak}  `;
    let before = brackets[0] + inner;
    for (const item of items) {
      if (this.text.length >= this.maxUnits) return;
      this.text += before;
      write(item, inner);
      before = `,${inner}`;
    }
    this.text += lineBreak + brackets[1];
  }
}
