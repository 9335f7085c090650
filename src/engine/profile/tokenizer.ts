import type { Addon, ModelDescription, ModelHandle } from '../addon/addon-types.js';
import { cutLongText } from './long-texts.js';

/**
 * Tokenizes text under one rule: only a template's text may become structural tokens (markers).
 *
 * llama.cpp can keep control tokens out of plain text, but it recognizes *user-defined* tokens in any text, and published
 * Gemma-4 files define `<|channel>` and `<channel|>` as such; and the merges of some vocabularies can build a control
 * token from its letters. It also copies the text at every user-defined token: 100,000 of them in one text took 26 s.
 * Therefore user-defined tokens are found here, and the text passed to llama.cpp contains none.
 */
export class Tokenizer {
  private readonly markers = new Map<string, number>();
  /** By token id. */
  private readonly isMarkerId: Uint8Array;
  /** User-defined tokens that are content, such as runs of newlines. */
  private readonly contents = new Map<string, number>();
  private readonly templatePattern: RegExp;
  private readonly userDefinedPattern: RegExp | null;

  constructor(
    private readonly addon: Addon,
    private readonly model: ModelHandle,
    private readonly description: ModelDescription,
    templates: readonly string[],
  ) {
    const userDefined = description.userDefinedTokens.filter(({ text }) => text !== '');
    const found = userDefined.filter(({ text }) => isMarker(text, templates));
    this.isMarkerId = new Uint8Array(description.vocabularySize);
    for (const { id, text } of [...description.controlTokens, ...found]) {
      this.isMarkerId[id] = 1;
      if (text !== '') this.markers.set(text, id);
    }
    for (const { id, text } of userDefined) if (!this.markers.has(text)) this.contents.set(text, id);
    this.templatePattern = anyOf([...this.markers.keys()]);
    this.userDefinedPattern = userDefined.length === 0 ? null : anyOf(userDefined.map(({ text }) => text));
  }

  /** Splits a template's text at its markers; markers enter a prompt in no other way. */
  splitTemplate(text: string): Array<string | { readonly text: string; readonly token: number }> {
    const parts: Array<string | { text: string; token: number }> = [];
    let end = 0;
    for (const match of text.matchAll(this.templatePattern)) {
      if (match.index > end) parts.push(text.slice(end, match.index));
      parts.push({ text: match[0], token: this.markers.get(match[0]) as number });
      end = match.index + match[0].length;
    }
    if (end < text.length) parts.push(text.slice(end));
    return parts;
  }

  /**
   * Tokenizes plain text, which may contain a caller's: never yields a structural token, for any input.
   *
   * @param tokensOf returns what `whole` returns
   */
  plain(text: string, tokensOf: (part: string) => Int32Array = (part) => this.whole(part)): Int32Array {
    const parts = this.splitPlain(text);
    const tokens = concatenate(
      parts.map((part) => (typeof part === 'number' ? Int32Array.of(part) : tokensOf(part))),
    );
    if (!tokens.some((token) => this.isStructure(token))) return tokens;
    // Merges have built a control token; tokenizing single code points prevents that.
    return concatenate([...text].map((character) => this.whole(character)));
  }

  /** Tokenizes text that contains no user-defined token. */
  whole(text: string): Int32Array {
    return concatenate(cutLongText(text).map((part) => this.addon.tokenize(this.model, part, false)));
  }

  /** Maximum bytes of text that a number of tokens can represent; longer text can be refused without tokenizing it. */
  bytesOf(tokens: number): number {
    return tokens * Math.max(1, this.description.longestTokenBytes);
  }

  /** Whether the token stands for a byte: the vocabulary has no token for the character. */
  isByte(token: number): boolean {
    return this.description.byteTokens.includes(token);
  }

  isStructure(token: number): boolean {
    return this.isMarkerId[token] === 1;
  }

  /** The bytes a token stands for. */
  piece(token: number): Buffer {
    return this.addon.tokenPiece(this.model, token);
  }

  /** Splits text at user-defined tokens. Content tokens are kept; a marker is split after its first character. */
  private splitPlain(text: string): Array<string | number> {
    if (this.userDefinedPattern === null) return [text];
    const pattern = new RegExp(this.userDefinedPattern);
    const parts: Array<string | number> = [];
    let start = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const content = this.contents.get(match[0]);
      const end = content === undefined ? match.index + 1 : match.index;
      if (end > start) parts.push(text.slice(start, end));
      if (content !== undefined) parts.push(content);
      start = content === undefined ? end : match.index + match[0].length;
      // The rest of a marker may contain the start of another.
      pattern.lastIndex = start;
    }
    if (start < text.length) parts.push(text.slice(start));
    return parts;
  }
}

/**
 * Whether a user-defined token is a marker rather than a piece of content (Gemma also defines runs of
 * newlines and HTML tags, which callers may write): it looks like `<|…` or `…|>`, or a template writes it.
 */
function isMarker(text: string, templates: readonly string[]): boolean {
  if (text.startsWith('<|') || text.endsWith('|>')) return true;
  return text.trim() !== '' && templates.some((template) => template.includes(text));
}

/** Matches any of the strings, the longest first, as llama.cpp does; an empty list matches nothing. */
function anyOf(texts: readonly string[]): RegExp {
  if (texts.length === 0) return /(?!)/g;
  const longest = [...texts].sort((a, b) => b.length - a.length);
  return new RegExp(longest.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g');
}

/** Joins token lists into one. */
export function concatenate(parts: readonly Int32Array[]): Int32Array {
  const result = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    result.set(part, offset);
    offset += part.length;
  }
  return result;
}
