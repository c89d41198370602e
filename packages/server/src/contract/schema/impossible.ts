/**
 * Proves of schemas that no value conforms. Each rule follows from keywords alone, so that what is proven is true; much that is
 * true is not proven.
 */
import { isObject, members, type OpenApiDocument } from '../document/document';
import { Discriminators } from '../document/discriminator';
import { type Direction, excludedBy, OneWay } from './one-way';
import { type SchemaView, viewSchemas } from './schema-view';

/** Why no value conforms. */
export interface Proof {
  /** JSON pointer to a schema. */
  readonly pointer: string;
  readonly message: string;
}

/** The schemas that are looked at within unions of unions, and, with their branches, in all: the work is bounded. */
const [MAX_TOGETHER, MAX_WORK] = [6, 100_000];

/** Finds the schemas to which no value of a direction conforms. */
export class Impossible {
  private readonly oneWay: OneWay;
  private readonly discriminators: Discriminators;
  /** By pointers; null: not proven, or not yet, where a schema leads back to itself. */
  private readonly known = new Map<string, Proof | null>();
  private work = 0;

  constructor(
    private readonly document: OpenApiDocument,
    private readonly direction: Direction,
  ) {
    this.oneWay = new OneWay(document, excludedBy(direction));
    this.discriminators = new Discriminators(document);
  }

  /** Proves that no value conforms to all of these schemas; undefined if that cannot be proven. */
  proof(pointers: readonly string[], skipped: ReadonlySet<string> = new Set()): Proof | undefined {
    const key = pointers.join(' ');
    const known = this.known.get(key);
    if (known !== undefined) return known ?? undefined;
    this.known.set(key, null);
    if (pointers.length > MAX_TOGETHER || this.work++ > MAX_WORK) return undefined;
    const found = this.prove(pointers, skipped);
    this.known.set(key, found ?? null);
    return found;
  }

  private prove(pointers: readonly string[], skipped: ReadonlySet<string>): Proof | undefined {
    const [pointer = ''] = pointers;
    const view = viewSchemas(this.document, pointers, this.direction);
    this.work += view.unions.flat().length;
    if (view.types.size === 0) {
      const isFalse = pointers.some((one) => this.document.at(one) === false);
      return { pointer, message: isFalse ? 'is false' : 'has no type or value that all its keywords admit' };
    }
    for (const not of view.further.get('not') ?? []) {
      const schema = this.document.at(not);
      if (schema === true || (isObject(schema) && Object.keys(schema).length === 0))
        return { pointer: not, message: 'excludes every value' };
    }
    const proofs = [...view.types].map((type) => this.ofType(type, pointers, view));
    const [first] = proofs;
    if (first && proofs.every((proof) => proof !== undefined)) return first;
    return this.ofUnions(pointers, view, skipped);
  }

  /** Each union is looked at alone: all of its branches have a proof together with the other schemas. */
  private ofUnions(
    pointers: readonly string[],
    view: SchemaView,
    skipped: ReadonlySet<string>,
  ): Proof | undefined {
    const unions = view.unions.filter((branches) => !skipped.has(branches.join(' ')));
    const within = new Set([...skipped, ...view.unions.map((branches) => branches.join(' '))]);
    for (const branches of unions) {
      const [place = ''] = branches;
      const owner = place.replace(/\/(?:oneOf|anyOf)\/\d+$/, '');
      const schema = this.document.at(owner);
      const selected = isObject(schema) ? this.discriminators.at(owner, schema) : undefined;
      const targets = selected ? [...selected.branches.values(), selected.otherwise ?? []].flat() : [];
      let first: Proof | undefined;
      const isImpossible = [...new Set([...branches, ...targets])].every((branch) => {
        const proof = branch === owner ? undefined : this.proof([branch, ...pointers], within);
        first ??= proof;
        return proof;
      });
      if (first && isImpossible)
        return { pointer: owner, message: `no branch admits a value: #${first.pointer} ${first.message}` };
    }
    return undefined;
  }

  /** The proof for values of one type. */
  private ofType(type: string, pointers: readonly string[], view: SchemaView): Proof | undefined {
    const [pointer = ''] = pointers;
    const contradict = (keyword: string): Proof | undefined => {
      const [least, most] = [view.least.get(keyword), view.most.get(keyword)];
      if (!least || !most || least.value < most.value) return undefined;
      if (least.value === most.value && !least.exclusive && !most.exclusive) return undefined;
      return { pointer, message: `has ${least.keyword} ${least.value} and ${most.keyword} ${most.value}` };
    };
    switch (type) {
      case 'integer':
        return contradict('imum') ?? this.withoutInteger(pointer, view);
      case 'fraction':
        return contradict('imum');
      case 'string':
        return contradict('Length');
      case 'array':
        return contradict('Items') ?? this.ofItems(view);
      case 'object':
        return contradict('Properties') ?? this.ofProperties(pointers, view);
      default:
        return undefined;
    }
  }

  /** Bounds between which there is no integer. */
  private withoutInteger(pointer: string, { least, most }: SchemaView): Proof | undefined {
    const [low, high] = [least.get('imum'), most.get('imum')];
    if (typeof low?.value !== 'number' || typeof high?.value !== 'number') return undefined;
    const first = low.exclusive ? Math.floor(low.value) + 1 : Math.ceil(low.value);
    const last = high.exclusive ? Math.ceil(high.value) - 1 : Math.floor(high.value);
    if (first <= last || !Number.isSafeInteger(first) || !Number.isSafeInteger(last)) return undefined;
    return { pointer, message: `has no integer between ${low.value} and ${high.value}` };
  }

  private ofItems(view: SchemaView): Proof | undefined {
    const least = Number(view.least.get('Items')?.value ?? 0);
    const described = view.prefixItems.length;
    for (let i = 0; i < Math.min(least, described + 1); i++) {
      const pointers = i < described ? view.prefixItems[i] : view.items;
      const proof = pointers && pointers.length > 0 ? this.proof(pointers) : undefined;
      if (proof) return proof;
    }
    for (const contains of view.further.get('contains') ?? []) {
      const holder = this.document.at(contains.slice(0, contains.lastIndexOf('/')));
      const proof =
        isObject(holder) && (holder['minContains'] ?? 1) !== 0 ? this.proof([contains]) : undefined;
      if (proof) return proof;
    }
    return undefined;
  }

  private ofProperties(pointers: readonly string[], view: SchemaView): Proof | undefined {
    const [pointer = ''] = pointers;
    const { subschemas } = this.document;
    const places = pointers.flatMap((one) => subschemas.certain(one));
    const owners = pointers.flatMap((one) => this.oneWay.owners(one));
    const required = [...view.required].filter((name) => !this.oneWay.excludes(owners, name));
    const most = view.most.get('Properties');
    if (most && required.length > most.value)
      return {
        pointer,
        message: `requires ${required.length} properties and has maxProperties ${most.value}`,
      };
    for (const name of required) {
      const described = places.flatMap((place) =>
        // Another schema may evaluate what is left to unevaluatedProperties.
        subschemas.property(place.pointer, name).filter(({ keyword }) => keyword !== 'unevaluatedProperties'),
      );
      const unique = [...new Set(described.map((one) => one.pointer))];
      const proof = unique.length > 0 ? this.proof(unique) : undefined;
      if (proof) return { ...proof, message: `${proof.message}, and ${JSON.stringify(name)} is required` };
    }
    const least = Number(view.least.get('Properties')?.value ?? 0);
    for (const { pointer: at, value } of places) {
      const { additionalProperties, properties, patternProperties } = value;
      if (additionalProperties !== false || members(patternProperties).length > 0) continue;
      const count = members(properties).length;
      if (least > count)
        return { pointer: at, message: `has ${count} properties and no others, and minProperties ${least}` };
    }
    return undefined;
  }
}
