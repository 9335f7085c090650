/**
 * A value as JSON. A `Map` is an object in its order. Throws TypeError, which names the place, for what `JSON.stringify` would
 * change or leave out without a word: numbers that JSON does not have, functions, `undefined` in a list, and objects whose
 * content is not in their fields.
 *
 * @param name what the value is, at the beginning of the message; '' if the keys say it
 */
export declare function encode(value: unknown, name: string): string;
/**
 * A text whose characters all have UTF-8. Throws TypeError for half of a surrogate pair, in place of which another character
 * would be sent.
 */
export declare function requireText(text: string, name: string): string;
/** Whether a value is a `Map`, also of another frame. */
export declare const isMap: (value: object) => value is ReadonlyMap<unknown, unknown>;
