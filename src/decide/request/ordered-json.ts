import type { JsonNode } from '../decide-types.js';
import { BYTE, isSpace } from './bytes.js';

/**
 * Parses JSON and keeps what `JSON.parse` loses: the order of entries, repeated keys, `__proto__`, and the source text of
 * numbers.
 *
 * @param source valid JSON, nested no deeper than `LIMITS.jsonDepth`, as checked by `JSON.parse` and the scan before
 * @returns the value; time is linear in the source
 */
export function readOrdered(source: string): JsonNode {
  return new OrderedReader(source).value();
}

class OrderedReader {
  private at = 0;

  constructor(private readonly source: string) {}

  value(): JsonNode {
    switch (this.next()) {
      case BYTE.quote:
        return { kind: 'text', value: this.string() };
      case BYTE.openBrace:
        return { kind: 'object', entries: this.entries() };
      case BYTE.openBracket:
        return { kind: 'array', items: this.items() };
      default:
        return { kind: 'literal', source: this.literal() };
    }
  }

  private entries(): Array<readonly [string, JsonNode]> {
    const entries: Array<readonly [string, JsonNode]> = [];
    this.at += 1;
    if (this.next() === BYTE.closeBrace) {
      this.at += 1;
      return entries;
    }
    do {
      this.next();
      const key = this.string();
      this.next();
      this.at += 1;
      entries.push([key, this.value()]);
    } while (this.separator() === BYTE.comma);
    return entries;
  }

  private items(): JsonNode[] {
    const items: JsonNode[] = [];
    this.at += 1;
    if (this.next() === BYTE.closeBracket) {
      this.at += 1;
      return items;
    }
    do {
      items.push(this.value());
    } while (this.separator() === BYTE.comma);
    return items;
  }

  /** Skips whitespace; returns the next code unit without consuming it. */
  private next(): number {
    while (isSpace(this.source.charCodeAt(this.at))) this.at += 1;
    return this.source.charCodeAt(this.at);
  }

  /** Consumes and returns the comma or closing bracket after a value. */
  private separator(): number {
    const code = this.next();
    this.at += 1;
    return code;
  }

  /** Reads a string; its opening quote is next. */
  private string(): string {
    const open = this.at;
    let quote = this.source.indexOf('"', open + 1);
    while (this.isEscaped(open + 1, quote)) quote = this.source.indexOf('"', quote + 1);
    this.at = quote + 1;
    const text = this.source.slice(open + 1, quote);
    return text.includes('\\') ? (JSON.parse(this.source.slice(open, quote + 1)) as string) : text;
  }

  /** Whether an odd number of backslashes, none before `start`, precedes `quote`. */
  private isEscaped(start: number, quote: number): boolean {
    let first = quote;
    while (first > start && this.source.charCodeAt(first - 1) === BYTE.backslash) first -= 1;
    return (quote - first) % 2 === 1;
  }

  /** A number, `true`, `false` or `null`: everything up to whitespace, a comma, a bracket or the end. */
  private literal(): string {
    const start = this.at;
    while (this.at < this.source.length && !endsLiteral(this.source.charCodeAt(this.at))) this.at += 1;
    return this.source.slice(start, this.at);
  }
}

function endsLiteral(code: number): boolean {
  return code === BYTE.comma || code === BYTE.closeBrace || code === BYTE.closeBracket || isSpace(code);
}
