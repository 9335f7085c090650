export { figures } from './figure.js';
export { type Html, html } from './html.js';
export { FILTER_STYLE, FILTER_VALUES_MAX, type Filter, filteredTable } from './html-filter.js';
export { page, type Section } from './html-page.js';
export { beside, type Cell, type Column, details, facts, table } from './html-table.js';
export { intervalChart } from './interval-chart.js';
export { lineChart, type Series } from './line-chart.js';
