/** Contract 4.1: the values of `Content-Encoding`. */
export const SENT_ENCODINGS = ['gzip', 'zstd'] as const;
/** The compression of a body: `identity` without `Content-Encoding`. */
export type ContentEncoding = 'identity' | (typeof SENT_ENCODINGS)[number];

/** The media type of the decompressed body. */
export type MediaType =
  | { readonly kind: 'json' }
  /** RFC 7578. `boundary` is null if the header has none that RFC 2046 allows. */
  | { readonly kind: 'multipart'; readonly boundary: string | null };

/** What the head of a request says about its body. */
export interface Content {
  readonly encoding: ContentEncoding;
  readonly media: MediaType;
}
