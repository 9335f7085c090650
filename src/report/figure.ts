import type { Config, Spec } from 'vega';
import { Html, html } from './html.js';

/** Width of every chart, in pixels: that of a phone, so that texts keep their size there. */
export const WIDTH = 340;

/** The colours of the series: variables of the style sheet, so that they follow the colour scheme. */
export const COLORS = [1, 2, 3, 4, 5].map((number) => `var(--series-${number})`);

/** Marks have no labels for screen readers of their own: the chart has a title and a description. */
export const PLAIN = { aria: false, interactive: false } as const;

const TEXT = { labelColor: 'var(--ink)', labelFontSize: 12 } as const;
const CONFIG: Config = {
  axis: {
    ...TEXT,
    aria: false,
    titleColor: 'var(--ink)',
    titleFontSize: 12,
    titleFontWeight: 'normal',
    titlePadding: 8,
    grid: true,
    gridColor: 'var(--grid)',
    domainColor: 'var(--rule)',
    tickColor: 'var(--rule)',
    labelOverlap: 'greedy',
    labelSeparation: 4,
  },
  legend: { ...TEXT, aria: false, symbolStrokeWidth: 0, labelLimit: 270, columnPadding: 14 },
};

/**
 * A Vega specification drawn without a browser, as an SVG that scales to its column.
 * @param description what the chart shows, for readers who cannot see it
 */
export async function figure(
  title: string,
  note: string | null,
  description: string,
  spec: Spec,
): Promise<Html> {
  const { parse, View } = await import('vega');
  const view = new View(parse({ width: WIDTH, padding: 2, ...spec, config: CONFIG }), { renderer: 'none' });
  const svg = await view.toSVG();
  view.finalize();
  const head = /^<svg [^>]*viewBox="([\d. -]+)"[^>]*>/.exec(svg);
  if (head === null) throw new Error('Vega wrote an unknown head of an SVG');
  const drawing = new Html(svg.slice(head[0].length));
  return html`<figure><figcaption>${title}${note === null ? null : html`<span>${note}</span>`}</figcaption>
<svg role="img" viewBox="${head[1] as string}"><title>${title}</title><desc>${description}</desc>${drawing}</figure>
`;
}

/** Figures side by side where there is room. */
export function figures(content: readonly Html[]): Html {
  return html`<div class="charts">${content}</div>`;
}
