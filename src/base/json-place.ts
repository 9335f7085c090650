/** A place in a text. Both count from 1, as editors do; columns count characters. */
interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Values within values that are read; deeper ones are a fault, whereas `JSON.parse` accepts some of them. */
const DEPTH_MAX = 500;

const SPACE = /[ \t\n\r]*/y;
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** A string up to its end, or to what cannot stand in one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids these in strings
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*/y;

/**
 * Where a text stops being JSON (RFC 8259), and why; null if it is JSON. The parsers of Node.js differ in what they say,
 * and some of their messages have no place, or quote the text. Of the text, the reason has one character at most.
 */
export function jsonFault(text: string): (TextPlace & { readonly reason: string }) | null {
  try {
    new JsonScanner(text, () => {}).document();
    return null;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ...placeAt(text, error.at), reason: error.message };
  }
}

/**
 * The first name that an object of a JSON text has for the second time, and where; null: there is none. `JSON.parse` takes
 * the last value, and says nothing of the others.
 */
export function repeatedName(text: string): (TextPlace & { readonly name: string }) | null {
  const paths = new Set<string>();
  let found: { readonly at: number; readonly name: string } | null = null;
  const look = (place: readonly string[], at: number) => {
    const path = JSON.stringify(place);
    if (paths.has(path)) found ??= { at, name: place.at(-1) as string };
    paths.add(path);
  };
  scan(text, look);
  // The compiler does not see the assignment in `look`.
  const repeated = found as { readonly at: number; readonly name: string } | null;
  return repeated === null ? null : { ...placeAt(text, repeated.at), name: repeated.name };
}

/** The names of the object at a place of a JSON text, in the order written: `JSON.parse` puts whole numbers first. */
export function namesInJson(text: string, path: readonly string[]): string[] {
  const names: string[] = [];
  scan(text, (place) => {
    if (place.length === path.length + 1 && path.every((name, index) => name === place[index]))
      names.push(place.at(-1) as string);
  });
  return names;
}

/** Where the name of a member, or an element of an array, begins in a JSON text; null if it is not there. */
export function placeInJson(text: string, path: readonly string[]): TextPlace | null {
  let found: number | null = null;
  const look = (place: readonly string[], at: number) => {
    if (place.length === path.length && place.every((name, index) => name === path[index])) found ??= at;
  };
  scan(text, look);
  return found === null ? null : placeAt(text, found);
}

/** Calls `look` up to the end of the text, or to where it stops being JSON. */
function scan(text: string, look: (place: readonly string[], at: number) => void): void {
  try {
    new JsonScanner(text, look).document();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
}

/** `, line 3, column 5`, to follow the name of a file; '' for null. */
export const showPlace = (place: TextPlace | null): string =>
  place === null ? '' : `, line ${place.line}, column ${place.column}`;

function placeAt(text: string, at: number): TextPlace {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: [...(before.at(-1) as string)].length + 1 };
}

/** The text is not JSON from `at` on. */
class Fault extends Error {
  constructor(
    readonly at: number,
    reason: string,
  ) {
    super(reason);
  }
}

/** Reads a text from its beginning, and calls `look` with the path and the offset of every member and element. */
class JsonScanner {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly look: (path: readonly string[], at: number) => void,
  ) {}

  /** Throws Fault. */
  document(): void {
    this.value([]);
    this.skip(SPACE);
    if (this.at < this.text.length) this.refuse('Expected the end of the file');
  }

  private value(path: readonly string[]): void {
    this.skip(SPACE);
    const first = this.text[this.at];
    if (path.length > DEPTH_MAX) this.refuse(`Values are nested more than ${DEPTH_MAX} deep`);
    if (first === '{') this.list('}', () => this.member(path));
    else if (first === '[') {
      let index = 0;
      this.list(']', () => this.element([...path, String(index++)]));
    } else if (first === '"') this.string();
    else if (!this.skip(WORD)) this.refuse('Expected a value');
  }

  /** An object or an array, from its first bracket on. */
  private list(end: string, item: () => void): void {
    this.at += 1;
    this.skip(SPACE);
    if (this.text[this.at] === end) {
      this.at += 1;
      return;
    }
    for (;;) {
      item();
      this.skip(SPACE);
      const next = this.text[this.at];
      if (next !== ',' && next !== end) this.refuse(`Expected a comma or ${end}`);
      const comma = this.at;
      this.at += 1;
      if (next === end) return;
      this.skip(SPACE);
      if (this.text[this.at] === end) throw new Fault(comma, `Expected no comma before ${end}`);
    }
  }

  private member(path: readonly string[]): void {
    const at = this.at;
    if (this.text[at] !== '"') this.refuse('Expected a name in double quotes');
    const name = this.string();
    this.look([...path, name], at);
    this.skip(SPACE);
    if (this.text[this.at] !== ':') this.refuse('Expected a colon');
    this.at += 1;
    this.value([...path, name]);
  }

  private element(path: readonly string[]): void {
    this.skip(SPACE);
    this.look(path, this.at);
    this.value(path);
  }

  private string(): string {
    const start = this.at;
    this.skip(STRING);
    const next = this.text[this.at];
    if (next === '\\') throw new Fault(this.at, 'Bad escape in a string');
    if (next !== '"') throw new Fault(start, 'Unterminated string: it does not end on its line');
    this.at += 1;
    return JSON.parse(this.text.slice(start, this.at)) as string;
  }

  /** Moves behind what a pattern matches here. False if it matches nothing. */
  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const [found = ''] = pattern.exec(this.text) ?? [];
    this.at += found.length;
    return found !== '';
  }

  private refuse(reason: string): never {
    const code = this.text.codePointAt(this.at);
    const found = code === undefined ? 'the end of the file' : JSON.stringify(String.fromCodePoint(code));
    const hint = found === '"/"' || found === '"#"' ? '. JSON has no comments' : '';
    throw new Fault(this.at, `${reason}, found ${found}${hint}`);
  }
}
