/** What a server process of the fuzzer tells. */
export type FromServer =
  | { readonly kind: 'listening'; readonly port: number; readonly tokens: readonly string[] }
  | { readonly kind: 'memory'; readonly memory: Memory }
  /** A line of its log of level error. */
  | { readonly kind: 'error'; readonly line: string };

/** Bytes, when all garbage is collected. */
export interface Memory {
  /** Of the process, without the pages of files; with them where the system does not tell them apart. */
  readonly resident: number;
  /** Of the main thread's JavaScript, in its heap and outside. */
  readonly held: number;
}

/** What it is asked; anything else ends it. */
export type ToServer = 'memory';
