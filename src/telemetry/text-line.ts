type Fields = Readonly<Record<string, unknown>>;

/** Values that need no quotes. */
const PLAIN = /^[\w.:/@+-]+$/;
/** Of the longest name of a level. */
const LEVEL_CHARACTERS = 5;

/**
 * A line of the log for people: `TIME LEVEL message name=value …`. The stack of an error follows on lines of its own.
 *
 * @param json a line of the log, with its line feed or without
 * @returns without a line feed at its end
 */
export function textLine(json: string): string {
  const { level, time, msg = '', ...fields } = JSON.parse(json) as Fields;
  const { err } = fields;
  const { stack, type, message, ...others } = isObject(err) ? err : ({} as Fields);
  // The first line of a stack has the type and the message.
  const shown = typeof stack === 'string' ? { ...fields, err: others } : fields;
  const head = [time, String(level).padEnd(LEVEL_CHARACTERS), msg, ...named('', shown)];
  const line = head.filter((part) => part !== '').join(' ');
  if (typeof stack !== 'string') return line;
  return [line, ...stack.split('\n').map((each) => `  ${each}`)].join('\n');
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `name=value` of every field, those of an object as `outer.inner=value`. */
function named(prefix: string, fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (isObject(value)) return named(`${prefix}${name}.`, value);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [`${prefix}${name}=${PLAIN.test(text) ? text : JSON.stringify(value)}`];
  });
}
