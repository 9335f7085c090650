/**
 * The style sheet of a page. Charts use its variables, so they follow the colour scheme; print is always light. The
 * colours of the series can be told apart by colour-blind readers (Okabe and Ito), and each series has its own shape.
 */
export const STYLE = `
:root {
  --paper: #fff; --ink: #1b1f24; --muted: #59636e; --rule: #d1d9e0; --grid: #e6eaee;
  --series-1: #0072b2; --series-2: #c44e00; --series-3: #00785a; --series-4: #8a3b76; --series-5: #6b5900;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #14181d; --ink: #e6edf3; --muted: #9aa5b1; --rule: #3d444d; --grid: #272d35;
    --series-1: #56b4e9; --series-2: #f0883e; --series-3: #2fc39a; --series-4: #e08bc8; --series-5: #d9c04a;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 80rem;
  background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere;
}
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; padding-bottom: .25rem; border-bottom: 1px solid var(--rule); }
p { margin: .5rem 0; max-width: 44rem; }
header p, footer p, figcaption span { color: var(--muted); }
footer { margin-top: 3rem; border-top: 1px solid var(--rule); font-size: .875rem; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: .5rem 1.5rem; margin: 1rem 0; }
dt { color: var(--muted); font-size: .875rem; }
dd { margin: 0; }
.table {
  overflow-x: auto; margin: 1rem 0;
  background:
    linear-gradient(to left, var(--paper) 40%, transparent) right / 3rem 100% no-repeat local,
    linear-gradient(to left, var(--rule), transparent) right / .75rem 100% no-repeat scroll;
}
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 0 0 .35rem; }
th, td { padding: .3rem 1.1rem .3rem 0; border-bottom: 1px solid var(--rule); vertical-align: baseline; overflow-wrap: normal; }
tbody th, td.text { overflow-wrap: anywhere; }
td small, tbody th small { display: block; color: var(--muted); font-size: .75rem; }
th { text-align: left; font-weight: 600; }
tbody th { font-weight: 400; min-width: 7rem; max-width: 24rem; }
thead th { color: var(--muted); white-space: nowrap; }
.number { text-align: right; white-space: nowrap; }
td.text { min-width: 12rem; max-width: 40rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); gap: 1.5rem; margin: 1rem 0; }
.beside { display: flex; flex-wrap: wrap; align-items: flex-start; column-gap: 2.5rem; }
.beside > .table { max-width: 100%; }
.beside > figure + .table { flex: 1 1 40rem; }
.beside > figure { flex: 0 1 22rem; margin: 1rem 0; }
figure { margin: 0; min-width: 0; }
figcaption { font-weight: 600; font-size: .9375rem; }
figcaption span { display: block; font-weight: 400; font-size: .875rem; }
figure svg { display: block; width: 100%; max-width: 28rem; height: auto; }
svg text { font-family: inherit; }
details { margin: 1rem 0; }
summary { cursor: pointer; color: var(--muted); }
@media (max-width: 30rem) {
  body { padding: 1rem 1rem 2rem; }
  .charts { gap: 1.25rem; }
}
@page { margin: 15mm; }
@media print {
  body { padding: 0; max-width: none; font-size: 10pt; }
  h2, section > p { break-after: avoid; }
  figure, tr, p, dl > div { break-inside: avoid; }
  .charts { grid-template-columns: 1fr 1fr; }
  .table { overflow: visible; background: none; }
  table { font-size: 8pt; }
  td small, tbody th small { font-size: 6.5pt; }
  thead { display: table-header-group; }
  th, td { padding-right: .75rem; }
  thead th { white-space: normal; }
  td.text, tbody th { min-width: 0; }
  details:not([open]) { display: none; }
}
`;
