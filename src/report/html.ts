/** Markup in which every inserted text is escaped. */
export class Html {
  constructor(readonly markup: string) {}
}

type Insertable = Html | string | number | null | readonly Insertable[];

/**
 * A template tag: texts and numbers are escaped, `Html` is inserted as it is, lists are joined, null is nothing. Inserted
 * values belong into element content or quoted attributes.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Insertable[]): Html {
  const inserted = values.map(insert);
  return new Html(parts.map((part, index) => part + (inserted[index] ?? '')).join(''));
}

function insert(value: Insertable): string {
  if (value === null) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(insert).join('');
  return escaped(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that HTML does not allow, not even as references, become U+FFFD. */
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  /[\0-\x08\x0b\x0e-\x1f\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A number and its percent sign stay on one line. */
function escaped(text: string): string {
  return text
    .replace(FORBIDDEN, '\ufffd')
    .replace(/(?<=\d) %/g, '\u00a0%')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
