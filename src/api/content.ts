/** Contract 4.1: the values of `Content-Encoding`. */
export const SENT_ENCODINGS = ['gzip', 'zstd'] as const;
/** How a body is compressed: `identity` where the request has no `Content-Encoding`. */
export type ContentEncoding = 'identity' | (typeof SENT_ENCODINGS)[number];

/** What a body is when it is decompressed. */
export type MediaType =
  | { readonly kind: 'json' }
  /** RFC 7578. `boundary` is null where the header gives none that RFC 2046 allows. */
  | { readonly kind: 'multipart'; readonly boundary: string | null };

/** What the head of a request says of its body. */
export interface Content {
  readonly encoding: ContentEncoding;
  readonly media: MediaType;
}
