const IMPORTS =
  /^(?:import|export)\b(?:[^'";]*?\bfrom)?\s*['"]([^'"]+)['"]|\bimport\('([^']+)'\)|new URL\('([^']+\.js)'/gm;

/** What a compiled module of the project imports, as it names it: modules, packages and the files of threads. */
export const importsIn = (text: string): string[] =>
  [...text.matchAll(IMPORTS)].map(([, from, dynamic, url]) => (from ?? dynamic ?? url) as string);

/** The package of a name such as `@img/sharp/lib`. */
export function packageOf(name: string): string {
  const [scope, rest] = name.replace(/^node:/, '').split('/') as [string, string?];
  return scope.startsWith('@') ? `${scope}/${rest}` : scope;
}
