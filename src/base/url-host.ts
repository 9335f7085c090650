/**
 * Reads a URL; null if the string is none. The parser gives every host one spelling: lower case, punycode, dotted
 * decimal IPv4. Final dots are removed: DNS means the same without them, and certificates are issued without.
 */
export function parseUrl(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  url.hostname = url.hostname.replace(/\.+$/, '');
  return url;
}

/** The host of a URL as DNS and `isIP` take it: an IPv6 address without its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');
