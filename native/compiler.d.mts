/** The compiler and its own arguments. */
export function findCompiler(): string[];

/** The processors of this process, or fewer if its container has a CPU quota. */
export function processors(root?: string, all?: number): number;

/** Compiles files with the same flags, as many at a time as there are processors. Rejects with the compiler's error. */
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
