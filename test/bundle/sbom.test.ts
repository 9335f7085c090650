import { test } from 'tap';
import type { Package } from '../../bundle/packages.js';
import { billOfMaterials, type OtherPart } from '../../bundle/sbom.js';

const described = (folder: string, name: string, own: Partial<Package> = {}): Package => ({
  folder,
  name,
  version: '1.0.0',
  license: 'MIT',
  integrity: `sha512-${Buffer.from('sum').toString('base64')}`,
  uses: [],
  inConsole: false,
  ...own,
});
const PROGRAM: OtherPart = {
  type: 'application',
  name: 'decider',
  version: '0.1.0',
  license: 'MIT',
  purl: 'pkg:generic/decider@0.1.0',
};
const NODE: OtherPart = {
  type: 'platform',
  name: 'Node.js',
  version: '20.18.1',
  license: 'MIT',
  purl: 'pkg:generic/node@20.18.1',
  cpe: 'cpe:2.3:a:nodejs:node.js:20.18.1:*:*:*:*:*:*:*',
  sha256: 'ab',
};

test('the bill of materials has a component per package and part, with versions, licenses and checksums', async (t) => {
  const packages = [
    described('node_modules/b', '@b/c', { uses: ['node_modules/a'], license: 'MIT AND BSD-3-Clause' }),
    described('node_modules/a', 'a', { integrity: '', license: '' }),
  ];
  const inside = (folder: string) => (folder === 'node_modules/b' ? { png: '1.6' } : undefined);
  t.strictSame(billOfMaterials(PROGRAM, packages, [NODE], inside), {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': PROGRAM.purl,
        name: 'decider',
        version: '0.1.0',
        licenses: [{ license: { id: 'MIT' } }],
        purl: PROGRAM.purl,
      },
    },
    components: [
      {
        type: 'platform',
        'bom-ref': NODE.purl,
        name: 'Node.js',
        version: '20.18.1',
        hashes: [{ alg: 'SHA-256', content: 'ab' }],
        licenses: [{ license: { id: 'MIT' } }],
        cpe: NODE.cpe,
        purl: NODE.purl,
      },
      {
        type: 'library',
        'bom-ref': 'pkg:npm/%40b/c@1.0.0',
        name: '@b/c',
        version: '1.0.0',
        licenses: [{ expression: 'MIT AND BSD-3-Clause' }],
        purl: 'pkg:npm/%40b/c@1.0.0',
        components: [{ type: 'library', 'bom-ref': 'pkg:npm/%40b/c@1.0.0#png', name: 'png', version: '1.6' }],
        hashes: [{ alg: 'SHA-512', content: Buffer.from('sum').toString('hex') }],
      },
      { type: 'library', 'bom-ref': 'pkg:npm/a@1.0.0', name: 'a', version: '1.0.0', purl: 'pkg:npm/a@1.0.0' },
    ],
    dependencies: [
      { ref: 'pkg:npm/%40b/c@1.0.0', dependsOn: ['pkg:npm/a@1.0.0'] },
      { ref: 'pkg:npm/a@1.0.0', dependsOn: [] },
    ],
  });
});

test('a package that is installed twice is one component', async (t) => {
  const packages = [
    described('node_modules/a', 'a', { uses: ['node_modules/x'] }),
    described('node_modules/b/node_modules/a', 'a', { uses: ['node_modules/y'] }),
    described('node_modules/x', 'x'),
    described('node_modules/y', 'y'),
  ];
  t.match(
    billOfMaterials(PROGRAM, packages, [], () => undefined),
    {
      components: [{ name: 'a' }, { name: 'x' }, { name: 'y' }],
      dependencies: [{ ref: 'pkg:npm/a@1.0.0', dependsOn: ['pkg:npm/x@1.0.0', 'pkg:npm/y@1.0.0'] }, {}, {}],
    },
  );
});
