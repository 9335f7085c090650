/**
 * A line fails when the engine has ended the process this many times while the line was in progress. After the first
 * time it runs alone, because another line may have been the cause.
 */
export const ABORTS_MAX = 2;

/** What is stored of a line that was in progress when llama.cpp ended the process. */
export interface LineAborts {
  readonly count: number;
  /** The id of the last one. */
  readonly last: string;
  readonly reason: string;
}

/** The name of a line in the record of what engine threads compute. */
export const lineLabel = (batch: string, line: number): string => `${batch} ${line}`;

const LABEL = /^(batch_[A-Za-z0-9]{24}) (\d{1,6})$/;

/** The lines that labels name: of each, its batch and its position in it. */
export function linesOfLabels(labels: readonly string[]): Array<readonly [batch: string, line: number]> {
  return labels.flatMap((label) => {
    const [, batch, line] = LABEL.exec(label) ?? [];
    return batch === undefined ? [] : [[batch, Number(line)] as const];
  });
}
