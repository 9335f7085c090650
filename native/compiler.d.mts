/** The compiler and its own arguments. */
export function findCompiler(): string[];

/** Compiles files with the same flags, as many at a time as there are usable cores. Rejects with the compiler's error. */
export function compileFiles(
  compiler: readonly string[],
  files: readonly CompilerJob[],
  flags: readonly string[],
  onDone?: (job: CompilerJob) => void,
): Promise<void>;

export interface CompilerJob {
  readonly source: string;
  readonly object: string;
}
