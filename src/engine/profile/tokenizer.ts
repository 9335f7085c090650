import type { Addon, ModelDescription, ModelHandle, TokenEntry } from '../addon/index.js';

/**
 * Turns text into tokens under one rule: only text of a template may become a special token.
 *
 * llama.cpp keeps control tokens out of plain text when asked, but finds *user-defined* tokens in any text,
 * and published Gemma-4 files define `<|channel>` and `<channel|>` as such. Callers' text is therefore
 * looked over after tokenizing, and cut inside each marker it holds.
 */
export class Tokenizer {
  /** Which tokens are markers of structure, by token id. */
  private readonly markers: Uint8Array;
  private readonly markerIds = new Map<string, number>();
  /** Every marker, for the template's text. */
  private readonly templatePattern: RegExp;
  /** The markers that llama.cpp finds in any text. */
  private readonly callerPattern: RegExp;

  constructor(
    private readonly addon: Addon,
    private readonly model: ModelHandle,
    private readonly description: ModelDescription,
    templates: readonly string[],
  ) {
    const found = description.userDefinedTokens.filter((token) => isMarker(token.text, templates));
    const all = [...description.controlTokens, ...found].filter((token) => token.text !== '');
    this.markers = new Uint8Array(description.vocabularySize);
    for (const token of all) {
      this.markers[token.id] = 1;
      this.markerIds.set(token.text, token.id);
    }
    this.templatePattern = anyOf(all);
    this.callerPattern = anyOf(found);
  }

  /** Cuts a template's text at its markers: the only way into a prompt for a marker. */
  splitTemplate(text: string): Array<string | { readonly text: string; readonly token: number }> {
    const parts: Array<string | { text: string; token: number }> = [];
    let end = 0;
    for (const match of text.matchAll(this.templatePattern)) {
      if (match.index > end) parts.push(text.slice(end, match.index));
      parts.push({ text: match[0], token: this.markerIds.get(match[0]) as number });
      end = match.index + match[0].length;
    }
    if (end < text.length) parts.push(text.slice(end));
    return parts;
  }

  /** Plain text, a caller's among it: never yields a marker of structure, whatever it holds. */
  plain(text: string): Int32Array {
    const tokens = this.addon.tokenize(this.model, text, false);
    if (!tokens.some((token) => this.isStructure(token))) return tokens;
    const pieces = this.cut(text).map((piece) => this.addon.tokenize(this.model, piece, false));
    const result = concatenate(pieces);
    if (result.some((token) => this.isStructure(token))) throw new Error('a marker survived its cut');
    return result;
  }

  /** Whether the token stands for a byte: the vocabulary has no token for the text it was made from. */
  isByte(token: number): boolean {
    return this.description.byteTokens.includes(token);
  }

  isStructure(token: number): boolean {
    return this.markers[token] === 1;
  }

  /** The bytes a token stands for. */
  piece(token: number): Buffer {
    return this.addon.tokenPiece(this.model, token);
  }

  /** Ends a piece after the first character of every marker, so that no piece holds a whole one. */
  private cut(text: string): string[] {
    const pieces: string[] = [];
    const pattern = new RegExp(this.callerPattern);
    let start = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      pieces.push(text.slice(start, match.index + 1));
      start = match.index + 1;
      // The rest of this marker may begin another.
      pattern.lastIndex = start;
    }
    pieces.push(text.slice(start));
    return pieces;
  }
}

/**
 * Whether a user-defined token is a marker rather than a piece of content (Gemma also defines runs of
 * newlines and HTML tags, which callers may write): it looks like `<|…` or `…|>`, or a template writes it.
 */
function isMarker(text: string, templates: readonly string[]): boolean {
  if (text.startsWith('<|') || text.endsWith('|>')) return true;
  return text.startsWith('<') && templates.some((template) => template.includes(text));
}

/** Matches any of the tokens' texts, the longest first, as llama.cpp does; nothing where there are none. */
function anyOf(tokens: readonly TokenEntry[]): RegExp {
  if (tokens.length === 0) return /(?!)/g;
  const texts = tokens.map((token) => token.text).sort((a, b) => b.length - a.length);
  return new RegExp(texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g');
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
