import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { domainOf, missedText, notFor } from '../../models/nano/card/claims.js';
import { readFigures } from '../../models/nano/card/main.js';
import { claimRows, curveRows, nearRows, setRows } from '../../models/nano/card/tables.js';
import { checkTable } from '../support/generated-table.js';
import { ROOT } from '../support/sources.js';

// `DOCS=write` writes the generated parts anew.

const CARD = 'models/nano/README.md';
const CURVE = 'models/nano/curves/seed-2.tsv';
const MANIFEST = join(ROOT, 'models/manifest.json');

const figures = readFigures();
const FILE = `models/nano/${figures.build}.gguf`;
const readManifest = () => JSON.parse(readFileSync(MANIFEST, 'utf8'));

test('the tables of the model card follow from the measured figures', async (t) => {
  checkTable(t, CARD, 'claims', claimRows(figures));
  checkTable(t, CARD, 'sets', setRows(figures));
  checkTable(t, CARD, 'near', nearRows(figures));
  checkTable(t, CARD, 'missed', [missedText(figures, statSync(join(ROOT, FILE)).size)]);
});

test('the learning curve of the card is the one that the training wrote', async (t) => {
  checkTable(t, CARD, 'curve', curveRows(readFileSync(join(ROOT, CURVE), 'utf8')));
});

test('the figures are those of the shipped build', async (t) => {
  const [{ id, builds }] = readManifest().models;
  t.equal(figures.build, `${id}-${builds.at(-1).date}`);
});

test('the card, the README and the manifest have the one list of what the model is not for', async (t) => {
  checkTable(t, CARD, 'not-for', [`It is **not for** ${notFor(figures)}.`]);
  checkTable(t, 'README.md', 'not-for', [`It is not for ${notFor(figures)}.`]);
  if (process.env.DOCS === 'write') {
    const text = readFileSync(MANIFEST, 'utf8');
    const domain = /"domain": ".*"/;
    writeFileSync(
      MANIFEST,
      text.replace(domain, () => `"domain": ${JSON.stringify(domainOf(figures))}`),
    );
  }
  t.equal(readManifest().models[0].domain, domainOf(figures));
});
