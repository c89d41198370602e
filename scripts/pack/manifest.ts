/** The package.json of a package. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly engines: { readonly node: string };
  readonly files: readonly string[];
  readonly imports?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** What leads the tools of this repository to the sources, which a tarball does not have. */
const SOURCE = '@contract-first/source';

/** What a tarball carries itself. */
const CARRIED = 'swagger-ui-dist';

/**
 * The package.json of a tarball: entries lead to dist/, and what a service has as devDependencies, in versions that it may
 * choose, is in the member `toolchain`. Those packages have tens of megabytes, and the verbs that need no service need none
 * of them.
 */
export function packedManifest({ devDependencies, imports, ...manifest }: Manifest): object {
  const without = (object: Readonly<Record<string, string>>, left: string) =>
    Object.fromEntries(Object.entries(object).filter(([name]) => name !== left));
  const exports = Object.entries(manifest.exports).map(([entry, target]) => {
    if (typeof target === 'string') return [entry, target];
    const required = without(target, SOURCE);
    if (entry !== './kysely') return [entry, required];
    const imported = Object.entries(required).map(([name, file]) => [name, file.replace(/ts$|js$/, 'm$&')]);
    return [entry, { import: Object.fromEntries(imported) as object, ...required }];
  });
  return {
    ...manifest,
    scripts: undefined, // they are for this repository
    ...(imports === undefined ? {} : { imports: { '#swagger-ui/*': './dist/swagger-ui/*' } }),
    exports: Object.fromEntries(exports) as object,
    ...legacyEntries(manifest.exports),
    dependencies: without(manifest.dependencies ?? {}, CARRIED),
    ...(manifest.name === 'contract-first' ? { toolchain: devDependencies } : {}),
  };
}

/** The entries for `moduleResolution: node10`, which knows no `exports`. */
function legacyEntries(exports: Manifest['exports']): object {
  const types = Object.entries(exports).flatMap(([name, target]) =>
    name !== '.' && typeof target === 'object' ? [[name.slice(2), [target['types']]] as const] : [],
  );
  const main = exports['.'];
  return {
    ...(typeof main === 'object' ? { main: main['default'], types: main['types'] } : {}),
    typesVersions: { '*': Object.fromEntries(types) },
  };
}
