import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Test, test } from 'tap';
import { licenseFile, packageLicenses } from '../../bundle/licenses.js';
import { nodeLicense } from '../../bundle/other-parts.js';
import type { Package } from '../../bundle/packages.js';

const described = (folder: string, own: Partial<Package> = {}): Package => ({
  folder,
  name: folder.replace('node_modules/', ''),
  version: '1.0.0',
  license: 'MIT',
  integrity: '',
  uses: [],
  inConsole: false,
  ...own,
});

/** A project with these files. */
function project(t: Test, files: Readonly<Record<string, string>>): string {
  const root = t.testdir({});
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

test('the license of a package is every file with its text', async (t) => {
  const root = project(t, {
    'node_modules/a/LICENSE-MIT': 'the terms',
    'node_modules/a/NOTICE': 'a notice',
    'node_modules/a/licenses.js': 'code',
    'node_modules/a/README.md': 'Permission is hereby granted',
    'node_modules/b/readme.md': 'MIT. Permission is hereby granted, free of charge',
  });
  t.match(packageLicenses(root, [described('node_modules/a'), described('node_modules/b')]), [
    { name: 'a', version: '1.0.0', license: 'MIT', texts: ['the terms', 'a notice'] },
    { name: 'b', texts: ['MIT. Permission is hereby granted, free of charge'] },
  ]);
});

test('a package of one platform has the license of the one that it belongs to', async (t) => {
  const root = project(t, { 'node_modules/a/LICENSE': 'the terms', 'node_modules/@a/linux-x64/x.node': '' });
  const owner = described('node_modules/a', { uses: ['node_modules/@a/linux-x64'] });
  const binary = described('node_modules/@a/linux-x64');
  t.match(packageLicenses(root, [owner, binary])[1], { name: '@a/linux-x64', texts: ['the terms'] });
  t.throws(() => packageLicenses(root, [owner, { ...binary, license: 'ISC' }]), {
    message: /^node_modules\/@a\/linux-x64 \(@a\/linux-x64 1\.0\.0, ISC\) has no license text\. Add one to /,
  });
});

test('a package without a license text ends the bundle with its name', async (t) => {
  const root = project(t, { 'node_modules/a/README.md': 'License: MIT' });
  t.throws(() => packageLicenses(root, [described('node_modules/a', { license: '' })]), {
    message:
      'node_modules/a (a 1.0.0, no license stated) has no license text. Add one to SUPPLEMENTS in bundle/licenses.ts.',
  });
});

test('the license of Node.js is beside it or in its documentation', async (t) => {
  const root = project(t, { 'share/doc/nodejs/LICENSE': 'of the package', 'bin/node': '' });
  t.equal(nodeLicense(join(root, 'bin/node')), 'of the package');
  writeFileSync(join(root, 'LICENSE'), 'of the archive');
  t.equal(nodeLicense(join(root, 'bin/node')), 'of the archive');
  t.throws(() => nodeLicense(join(root, 'other/bin/node')), {
    message: /^Node\.js has no license text\. It was expected as one of: \S+other\/LICENSE, /,
  });
});

test('the file of licenses is in the order of the names, whatever the order of the parts is', async (t) => {
  const parts = [
    { name: 'b', version: '1', license: 'MIT', texts: ['terms of b\r\n', 'more\n\n'] },
    { name: 'a', version: '2', license: '', texts: ['\nterms of a'] },
  ];
  const file = licenseFile(parts);
  t.equal(file, licenseFile([...parts].reverse()));
  t.match(file, /- a 2: see its text\n- b 1: MIT\n/);
  t.match(file, /\na 2\n\nterms of a\n\n={80}\nb 1\n\nterms of b\n\nmore\n$/);
});
