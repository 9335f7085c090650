/** How much of a file is looked at. */
export const START_BYTES = 512;

/**
 * What a file is that was stored in place of a model, by its first bytes, and what to do; null for anything else, which
 * llama.cpp judges.
 */
export function impostor(start: Buffer): string | null {
  const text = start.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  if (text.startsWith('version https://git-lfs.github.com/spec/'))
    return 'a Git LFS pointer, not the model itself. Run git lfs pull in its repository, or use: decider models pull';
  if (/^\s*<(!doctype|html|head|body|\?xml)\b/i.test(text))
    return 'an HTML or XML page, not a model: a download stored the page of a site. Download the file itself, or use: decider models pull';
  if (start.length === 0) return 'an empty file. Download it again.';
  return null;
}
