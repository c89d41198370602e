const INHERITED = new Set(Object.getOwnPropertyNames(Object.prototype));

/**
 * Whether a document has a name that every object inherits, such as `constructor`, as a name or as a text. Only then must
 * validators check that a property is an own one, which costs a quarter of the verdict on a list.
 */
export function usesInheritedNames(root: unknown): boolean {
  const values = [root];
  for (let value = values.pop(); value !== undefined; value = values.pop()) {
    if (typeof value === 'string' && INHERITED.has(value)) return true;
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value) && Object.keys(value).some((name) => INHERITED.has(name))) return true;
    for (const item of Object.values(value) as unknown[]) if (item !== undefined) values.push(item);
  }
  return false;
}
