/** Longer names are not compared: the time grows with the square of the length. */
const NAME_CHARACTERS_MAX = 128;
/** The most typing errors between a name and what was meant. */
const ERRORS_MAX = 3;
/** One typing error is expected in this many characters. */
const CHARACTERS_PER_ERROR = 3;

/**
 * The known name that was probably meant by an unknown one; null if none is near. Letters in the other case, and a hyphen
 * in place of an underscore, do not count as errors. The last part of a dotted name suffices if only one name ends so.
 */
export function nearestName(unknown: string, names: readonly string[]): string | null {
  if (unknown.length > NAME_CHARACTERS_MAX) return null;
  const written = plain(unknown);
  const errorsMax = Math.min(ERRORS_MAX, Math.floor(written.length / CHARACTERS_PER_ERROR));
  let nearest: { name: string; errors: number } | null = null;
  for (const name of names) {
    const errors = typingErrors(written, plain(name));
    if (errors <= errorsMax && errors < (nearest?.errors ?? Number.POSITIVE_INFINITY))
      nearest = { name, errors };
  }
  if (nearest !== null) return nearest.name;
  const lastPart = (name: string) => name.slice(name.lastIndexOf('.') + 1);
  const endingSo = names.filter((name) => plain(lastPart(name)) === lastPart(written));
  return endingSo.length === 1 ? (endingSo[0] as string) : null;
}

/** ` Did you mean X?`; '' if no name is near. */
export function didYouMean(unknown: string, names: readonly string[]): string {
  const name = nearestName(unknown, names);
  return name === null ? '' : ` Did you mean ${name}?`;
}

const plain = (name: string) => name.toLowerCase().replaceAll('-', '_');

/** Characters to insert, delete, replace or swap with their neighbour to make one text of the other. */
function typingErrors(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isEqual = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next.push(
        Math.min(
          (last[column] as number) + 1,
          (next[column - 1] as number) + 1,
          (last[column - 1] as number) + (isEqual ? 0 : 1),
          isSwapped ? (before[column - 2] as number) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = last;
    last = next;
  }
  return last[other.length] as number;
}
