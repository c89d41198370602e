/**
 * A function that computes a value once for each document and key. Schemas refer to each other in many ways: without it, the work
 * doubles with each schema that leads to the next one twice.
 */
export function oncePer<T>(): (document: object, key: string, compute: () => T) => T {
  const known = new WeakMap<object, Map<string, { readonly value: T }>>();
  return (document, key, compute) => {
    const values = known.get(document) ?? new Map<string, { readonly value: T }>();
    known.set(document, values);
    const found = values.get(key) ?? { value: compute() };
    values.set(key, found);
    return found.value;
  };
}
