/** Contract 4.1: the values of `Content-Encoding`; `identity` where there is none. */
export const CONTENT_ENCODINGS = ['identity', 'gzip', 'zstd'] as const;
export type ContentEncoding = (typeof CONTENT_ENCODINGS)[number];

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
