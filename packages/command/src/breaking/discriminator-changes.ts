import {
  Discriminators,
  isObject,
  joinPointer,
  lastStep,
  type OpenApiDocument,
} from 'contract-first-server/tools';
import { essenceOf } from './decisions';
import type { ChangeSink } from './keyword-changes';

type Discriminator = NonNullable<ReturnType<Discriminators['at']>>;

/** Compares the discriminators of two versions of a document. */
export class DiscriminatorComparison {
  private readonly old: Discriminators;
  private readonly now: Discriminators;

  constructor(
    private readonly before: OpenApiDocument,
    private readonly after: OpenApiDocument,
  ) {
    this.old = new Discriminators(before);
    this.now = new Discriminators(after);
  }

  /**
   * Compares the discriminators of one value. A name that is not among its branches is refused.
   *
   * @param was the pointers of the schemas with a discriminator in the earlier document, `is` in the later one
   * @param compare compares the schemas of a name
   */
  compare(
    was: readonly string[],
    is: readonly string[],
    place: string,
    sink: ChangeSink,
    compare: (was: string, is: string) => void,
  ): void {
    const read = (all: Discriminators, document: OpenApiDocument, pointers: readonly string[]) =>
      pointers.flatMap((pointer) => {
        const { value } = document.follow(pointer);
        const found = all.at(pointer, value);
        return found ? [{ pointer, found, mapped: mappedNames(value) }] : [];
      });
    const [old, now] = [read(this.old, this.before, was), read(this.now, this.after, is)];
    const text = (document: OpenApiDocument, pointers: readonly string[]) =>
      pointers
        .map((pointer) => essenceOf('Discriminator', document.at(joinPointer(pointer, 'discriminator'))))
        .join();
    if (old.length + now.length === 0 && text(this.before, was) !== text(this.after, is))
      sink.listed(
        joinPointer(is[0] ?? place, 'discriminator'),
        'a discriminator without alternatives differs',
      );
    for (let i = 0; i < Math.max(old.length, now.length); i++) {
      const [a, b] = [old[i], now[i]];
      if (a && b) this.compareDefaults(a.pointer, b.pointer, sink, compare);
      const at = joinPointer(b?.pointer ?? place, 'discriminator');
      if (!a)
        sink.narrowed(
          at,
          `the discriminator ${b?.found.property ?? ''} is new: it admits ${b ? names(b.found) : ''}`,
        );
      else if (!b) sink.widened(at, `the discriminator ${a.found.property} is gone`);
      else this.compareBranches(a, b, at, sink, compare);
    }
  }

  /** Compares what a value has that no name chooses a schema for (OpenAPI 3.2 section 4.25). */
  private compareDefaults(
    was: string,
    is: string,
    sink: ChangeSink,
    compare: (was: string, is: string) => void,
  ): void {
    const at = joinPointer(is, 'discriminator', 'defaultMapping');
    const [old, now] = (
      [
        [this.before, was],
        [this.after, is],
      ] as const
    ).map(([document, pointer]) =>
      document.references.mapped(document.at(joinPointer(pointer, 'discriminator', 'defaultMapping'))),
    );
    if (old !== undefined && now !== undefined) compare(old, now);
    else if (old !== undefined) sink.narrowed(at, 'a value whose name chooses no schema is refused now');
    else if (now !== undefined) sink.widened(at, 'a value whose name chooses no schema is admitted now');
  }

  private compareBranches(
    old: { readonly found: Discriminator; readonly mapped: ReadonlySet<string>; readonly pointer: string },
    now: { readonly found: Discriminator; readonly mapped: ReadonlySet<string>; readonly pointer: string },
    at: string,
    sink: ChangeSink,
    compare: (was: string, is: string) => void,
  ): void {
    const property = joinPointer(at, 'propertyName');
    if (old.found.property !== now.found.property) {
      const message = `propertyName was ${old.found.property}, is ${now.found.property}`;
      sink.narrowed(property, message);
      sink.widened(property, message);
    }
    const mapping = joinPointer(at, 'mapping');
    // Beside a mapping, the name of a component that it maps, or of the parent, is no value.
    const isValue = ({ found, mapped, pointer }: typeof old, name: string) => {
      const target = found.branches.get(name);
      const isKnown = target === pointer || [...mapped].some((other) => found.branches.get(other) === target);
      return mapped.has(name) || !(mapped.size > 0 && isKnown);
    };
    // The comparison of the alternatives reports those that only their own name chooses.
    const reported = (side: typeof old, name: string) =>
      side.mapped.has(name) || (side.found.keyword === undefined && isValue(side, name));
    for (const [name, target] of old.found.branches) {
      const counterpart = now.found.branches.get(name);
      if (counterpart !== undefined) {
        if (!isValue(old, name) && !isValue(now, name)) continue;
        if (counterpart !== target || now.found.keyword === undefined) {
          if (target !== old.pointer || counterpart !== now.pointer) compare(target, counterpart);
        }
        if (lastStep(counterpart) !== lastStep(target)) {
          const message = `${name} was ${lastStep(target)}, is ${lastStep(counterpart)}`;
          sink.listed(joinPointer(mapping, name), message);
        }
      } else if (reported(old, name)) sink.narrowed(mapping, `the name ${name} is gone`);
    }
    for (const name of now.found.branches.keys()) {
      if (!old.found.branches.has(name) && reported(now, name))
        sink.widened(mapping, `the name ${name} is new`);
    }
  }
}

const names = ({ branches }: Discriminator): string => [...branches.keys()].join(', ');

const mappedNames = ({ discriminator }: Readonly<Record<string, unknown>>): ReadonlySet<string> => {
  const mapping = isObject(discriminator) ? discriminator['mapping'] : undefined;
  return new Set(isObject(mapping) ? Object.keys(mapping) : []);
};
