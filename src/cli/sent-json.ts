/**
 * Keeps the text of the last response of a client: in objects, names that are whole numbers have lost their order, which the
 * questions of a task and the labels of a choice have.
 */
export class LastResponse {
  private body: Promise<string> = Promise.resolve('');

  readonly fetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    this.body = response.clone().text();
    // The client reports a response that is cut off.
    this.body.catch(() => {});
    return response;
  };

  /** Rejects if the response was cut off. */
  text(): Promise<string> {
    return this.body;
  }
}

/** Strings, the signs between values, and numbers and words. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/gs;
const OPENING: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** JSON indented by two spaces, as `JSON.stringify` does it, but with its names in the order written. */
export function indentJson(json: string): string {
  const tokens = json.match(TOKEN) ?? [];
  let text = '';
  let depth = 0;
  const breakLine = () => `\n${'  '.repeat(depth)}`;
  for (const [at, token] of tokens.entries()) {
    const isEmpty = (opening: string | undefined, closing: string | undefined) =>
      opening !== undefined && OPENING[opening] !== undefined && OPENING[opening] === closing;
    if (OPENING[token] !== undefined) {
      depth += 1;
      text += isEmpty(token, tokens[at + 1]) ? token : token + breakLine();
    } else if (token === '}' || token === ']') {
      depth -= 1;
      text += isEmpty(tokens[at - 1], token) ? token : breakLine() + token;
    } else if (token === ',') text += token + breakLine();
    else text += token === ':' ? ': ' : token;
  }
  return text;
}

/** The entries of an object that are named, in the order of the names. */
export const entriesOf = <Value>(
  names: readonly string[],
  values: Readonly<Record<string, Value>>,
): (readonly [name: string, value: Value])[] =>
  names.flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name] as Value] as const] : []));
