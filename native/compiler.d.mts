/** The compiler and its own arguments. */
export function findCompiler(): string[];
