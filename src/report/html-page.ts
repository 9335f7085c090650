import { createHash } from 'node:crypto';
import { Html, html } from './html.js';
import { STYLE } from './style.js';

/** A part of a page under a heading of its own. */
export interface Section {
  readonly title: string;
  readonly content: readonly Html[];
  /** Rules that its content needs besides the style sheet of all pages. */
  readonly style?: string;
}

/**
 * A complete HTML document, without scripts and without anything to load: its Content-Security-Policy permits only its
 * own style sheet.
 * @param summary what was measured, in one line below the title
 * @param foot what made the page
 */
export function page(title: string, summary: string, sections: readonly Section[], foot: string): string {
  const style = [STYLE, ...new Set(sections.map(({ style: own }) => own ?? ''))].join('');
  return `${
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<header><h1>${title}</h1><p>${summary}</p></header>
<main>
${sections.map(section)}</main>
<footer><p>${foot}</p></footer>
</body>
</html>
`.markup
  }`;
}

function section({ title, content }: Section): Html {
  return html`<section><h2>${title}</h2>
${content}
</section>
`;
}

const policy = (style: string) =>
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'`;
