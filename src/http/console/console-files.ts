/** A file of the web console, with its bytes as they are sent in each encoding. */
export interface ConsoleFile {
  readonly type: string;
  /** A strong entity tag, without its quotes. */
  readonly tag: string;
  /** Whether the name holds a hash of the content, so that a browser never needs to ask again. */
  readonly immutable: boolean;
  readonly bodies: Readonly<Record<FileEncoding, Uint8Array>>;
  /** The sources of the scripts and styles that the file contains itself, for its policy: `'sha256-…'`. */
  readonly inline: { readonly script: readonly string[]; readonly style: readonly string[] };
}

/** The files by name; `index.html` is the page. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

const ENCODINGS = ['br', 'gzip', 'identity'] as const;
type FileEncoding = (typeof ENCODINGS)[number];

/** The first of Brotli, gzip and none that an `Accept-Encoding` field accepts (RFC 9110, 12.5.3). */
export function chooseEncoding(accepted: readonly string[]): FileEncoding {
  const weights = new Map(
    accepted
      .join(',')
      .split(',')
      .map((entry) => {
        const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
        const weight = parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1';
        return [name, Number(weight)];
      }),
  );
  return ENCODINGS.find((name) => (weights.get(name) ?? weights.get('*') ?? 0) > 0) ?? 'identity';
}
