/** What Node needs to run the sources of the packages. Without the condition it would run what was built last. */
export const SOURCES: readonly string[] = ['--conditions=@contract-first/source', '--import', 'tsx'];
