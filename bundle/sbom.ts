// The software bill of materials of a bundle, in the JSON form of CycloneDX 1.6. It has no time and no random number, so
// that the same bundle has the same bytes.
import type { Package } from './packages.js';

/** A part of a bundle that is no npm package. */
export interface OtherPart {
  readonly type: 'application' | 'library' | 'machine-learning-model' | 'platform';
  readonly name: string;
  readonly version: string;
  /** SPDX; '' if it is not known. */
  readonly license: string;
  /** A package URL. */
  readonly purl: string;
  readonly sha256?: string;
  /** A name in the list of vulnerabilities of NIST. */
  readonly cpe?: string;
  /** Libraries inside, by name, with their versions. */
  readonly inside?: Readonly<Record<string, string>>;
}

/** Identifiers that are one license; anything else is an expression. */
const ONE_LICENSE = /^[\w.+-]+$/;

/** The bill of materials. `program`: decider itself. */
export function billOfMaterials(
  program: OtherPart,
  packages: readonly Package[],
  others: readonly OtherPart[],
  insideOf: (folder: string) => Readonly<Record<string, string>> | undefined,
): object {
  const refs = new Map(packages.map((each) => [each.folder, npmUrl(each)]));
  const components = new Map<string, object>();
  for (const each of packages) components.set(npmUrl(each), npmComponent(each, insideOf(each.folder)));
  for (const each of others) components.set(each.purl, component(each));
  const used = new Map<string, Set<string>>();
  for (const each of packages) {
    const uses = used.get(npmUrl(each)) ?? new Set();
    for (const folder of each.uses) uses.add(refs.get(folder) as string);
    used.set(npmUrl(each), uses);
  }
  const sorted = <Value>(map: ReadonlyMap<string, Value>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component(program) },
    components: sorted(components).map(([, each]) => each),
    dependencies: sorted(used).map(([ref, uses]) => ({ ref, dependsOn: [...uses].sort() })),
  };
}

const npmUrl = ({ name, version }: Package): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

function npmComponent(own: Package, inside: Readonly<Record<string, string>> | undefined): object {
  const hash = /^sha512-(.+)$/.exec(own.integrity)?.[1];
  return {
    ...component({ ...own, type: 'library', purl: npmUrl(own), ...(inside === undefined ? {} : { inside }) }),
    ...(hash === undefined
      ? {}
      : { hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }] }),
  };
}

function component({ type, name, version, license, purl, sha256, cpe, inside }: OtherPart): object {
  return {
    type,
    'bom-ref': purl,
    name,
    version,
    ...(sha256 === undefined ? {} : { hashes: [{ alg: 'SHA-256', content: sha256 }] }),
    ...(license === '' ? {} : { licenses: [licenseChoice(license)] }),
    ...(cpe === undefined ? {} : { cpe }),
    purl,
    ...(inside === undefined ? {} : { components: insideComponents(purl, inside) }),
  };
}

const insideComponents = (purl: string, inside: Readonly<Record<string, string>>) =>
  Object.entries(inside).map(([name, version]) => ({
    type: 'library',
    'bom-ref': `${purl}#${name}`,
    name,
    version,
  }));

const licenseChoice = (license: string) =>
  ONE_LICENSE.test(license) ? { license: { id: license } } : { expression: license };
