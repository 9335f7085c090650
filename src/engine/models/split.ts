/** Maximum number of files of a split GGUF. */
export const SPLIT_FILES_MAX = 1_000;

const NAME = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/;

/**
 * The names of all files of a split GGUF, in order, from the name of one: `<name>-00001-of-00003.gguf`, as llama.cpp's
 * gguf-split writes them. Null if the name is not of this form, or its numbers are impossible.
 */
export function splitNames(file: string): string[] | null {
  const [, name = '', number, count] = NAME.exec(file) ?? [];
  const [at, of] = [Number(number), Number(count)];
  if (!(at >= 1 && at <= of && of <= SPLIT_FILES_MAX)) return null;
  return Array.from(
    { length: of },
    (_, index) => `${name}-${String(index + 1).padStart(5, '0')}-of-${count}.gguf`,
  );
}
