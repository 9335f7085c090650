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

/** Strings, empty objects and arrays, the signs between values, and numbers and words. */
const TOKEN = /"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[[\]{},:]|[^\s"[\]{},:]+/gs;

/** JSON indented by two spaces, as `JSON.stringify` does it, but with its names in the order written. */
export function indentJson(json: string): string {
  let text = '';
  let depth = 0;
  const breakLine = () => `\n${'  '.repeat(depth)}`;
  for (const token of json.match(TOKEN) ?? []) {
    if (token === '{' || token === '[') {
      depth += 1;
      text += token + breakLine();
    } else if (token === '}' || token === ']') {
      depth -= 1;
      text += breakLine() + token;
    } else if (token === ',') text += token + breakLine();
    else if (token === ':') text += ': ';
    else text += token.startsWith('"') ? token : token.replace(/\s/g, '');
  }
  return text;
}

/** The entries of an object that are named, in the order of the names. */
export const entriesOf = <Value>(
  names: readonly string[],
  values: Readonly<Record<string, Value>>,
): (readonly [name: string, value: Value])[] =>
  names.flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name] as Value] as const] : []));
