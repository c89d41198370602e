import { type Json, type JsonObject, asArray, asObject, asString, asStrings } from '../json/tree';
import { conjuncts } from './direction';

/** A schema that a discriminator may select. */
interface Branch {
  readonly branch: Json;
  readonly reference: string;
  /** The names that the mapping gives it; without any, its own name if its property admits that. */
  readonly written: readonly string[];
  readonly own: string | undefined;
  /** The values of the property; undefined if it has any. */
  readonly values: readonly Json[] | undefined;
  readonly required: boolean;
  readonly isText: boolean;
}

const SCHEMAS = '#/components/schemas/';

/**
 * The branches by the names that select them (OpenAPI 3.1.1 section 4.8.25: it may not change which
 * values conform). Where each branch lists values of the property, these are its names. Undefined where the branches leave
 * one of them without a name: then the discriminator selects nothing.
 *
 * @param mapping the references by name
 * @param optional the references of branches that may be without a name
 */
export function branchNames(
  json: JsonObject,
  property: string,
  branches: readonly Json[],
  mapping: JsonObject,
  optional: readonly string[],
): ReadonlyMap<string, Json> | undefined {
  const named = branches
    .filter((branch) => admitsObjects(json, branch))
    .map((branch) => {
      const reference = asString(asObject(branch)['$ref']);
      const mapped = Object.entries(mapping).filter(([, to]) =>
        [asString(to), SCHEMAS + asString(to)].includes(reference),
      );
      const own = reference.startsWith(SCHEMAS) ? reference.slice(SCHEMAS.length) : undefined;
      const listed = valuesOf(json, asObject(branch), property);
      const implied = own !== undefined && listed.values?.includes(own) === true ? [own] : [];
      const written = mapped.length > 0 ? mapped.map(([name]) => name) : implied;
      return { branch, reference, written, own, ...listed };
    });
  const names = new Map<string, Branch>();
  const selected = named.filter(({ reference }) => !optional.includes(reference));
  for (const branch of selected) {
    const all = namesOf(branch, selected);
    if (all.length === 0 || all.some((name) => names.has(name))) return undefined;
    for (const name of all) names.set(name, branch);
  }
  for (const branch of named.filter(({ reference }) => optional.includes(reference))) {
    const { written, own, values } = branch;
    for (const name of !values && own !== undefined ? [...written, own] : written)
      if (!names.has(name)) names.set(name, branch);
  }
  return new Map([...names].map(([name, { branch }]) => [name, branch]));
}

function namesOf(
  { written, own, values, required, isText }: Branch,
  all: readonly Branch[],
): readonly string[] {
  if (!isText) return [];
  if (!values) return own === undefined ? written : [...written, own];
  const isListed = all.every((one) => one.values && one.required);
  if (!required || (!isListed && written.length === 0)) return written;
  if (!values.every((value) => typeof value === 'string')) return [];
  const free = values.filter(
    (value) => written.includes(value) || !all.some((one) => one.written.includes(value)),
  );
  const single = free.filter((value) => all.filter((one) => one.values?.includes(value)).length === 1);
  if (written.length === 0) return single.length < free.length ? [] : free;
  return [...new Set([...written, ...single])];
}

const admitsObjects = (json: JsonObject, branch: Json): boolean =>
  conjuncts(json, asObject(branch)).every(({ type = 'object' }) => [type].flat().includes('object'));

function valuesOf(
  json: JsonObject,
  schema: JsonObject,
  property: string,
  within: readonly JsonObject[] = [],
): Pick<Branch, 'values' | 'required' | 'isText'> {
  const parts = conjuncts(json, schema);
  const described = parts.flatMap((part) => {
    const properties = asObject(part['properties']);
    return property in properties ? conjuncts(json, asObject(properties[property])) : [];
  });
  const lists = described.flatMap((one) => [
    ...('enum' in one ? [asArray(one['enum'])] : []),
    ...('const' in one ? [[one['const'] ?? null]] : []),
  ]);
  const unions = parts
    .filter((part) => !within.includes(part))
    .flatMap((part) =>
      ['oneOf', 'anyOf'].flatMap((keyword) => {
        const all = asArray(part[keyword]).map((branch) =>
          valuesOf(json, asObject(branch), property, [...within, part]),
        );
        return all.length > 0 ? [all] : [];
      }),
    );
  for (const union of unions)
    if (union.every(({ values }) => values)) lists.push(union.flatMap(({ values }) => values ?? []));
  const [first, ...others] = lists;
  return {
    values: first?.filter((value) => others.every((list) => list.includes(value))),
    required:
      parts.some((part) => asStrings(part['required']).includes(property)) ||
      unions.some((union) => union.every(({ required }) => required)),
    isText:
      described.every(({ type = 'string' }) => [type].flat().includes('string')) &&
      unions.every((union) => union.some(({ isText }) => isText)),
  };
}
