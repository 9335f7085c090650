/** What llama.cpp says around a reason: its functions, and that a file does not load. */
const AROUND = /^(?:\w+: )*(?:error: )?(?:error loading model: )?(?:failed to load model '.*': )?(?:\w+: )?/;
const NO_REASON = /^failed to load (?:CLIP )?model/i;

/** The line of llama.cpp's log that says why a file does not load. */
export function reason(log: string): string {
  const lines = log
    .split('\n')
    .map((line) => line.replace(AROUND, '').trim())
    .filter((line) => line !== '' && !NO_REASON.test(line));
  return lines.at(-1) ?? 'llama.cpp does not say why it does not load';
}
