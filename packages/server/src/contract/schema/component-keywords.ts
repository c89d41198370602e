/**
 * The ajv keywords that rewrite.ts adds to the standard ones. They make judging linear in the value: conformance.ts finds
 * whether it conforms to a component, and violations.ts finds the violations.
 */
import { _, type CodeKeywordDefinition } from 'ajv';
import { joinPointer, isObject, members } from '../document/document';
import type { Holder } from '../json/values';
import {
  Applicables,
  type Components,
  type Discriminate,
  type Holds,
  type HoldsOf,
  listOf,
  namedBranch,
  type Node,
  patternsOf,
} from './applicable';
import { bytesKeyword } from './bytes';
import {
  bare,
  componentKeyword,
  error,
  errorsOf,
  exactKeyword,
  type Explain,
  functionKeyword,
  ROOT_DATA,
} from './keyword';
import { MAX_ERRORS, type Violations } from './violations';

/** Whether another schema evaluates the property or item of a key. */
type IsEvaluated = (key: string | number, holder: Holder, root: object) => boolean;

/** Judges values by components, each value once. */
export class ComponentKeywords {
  /** @param allErrors whether the errors of all branches are listed */
  constructor(
    private readonly components: Components,
    private readonly holdsOf: HoldsOf,
    private readonly violations: Violations,
    private readonly allErrors: boolean,
  ) {}

  definitions(): CodeKeywordDefinition[] {
    return [
      exactKeyword(),
      bare,
      bytesKeyword(),
      componentKeyword(this.holdsOf, (identifier) => this.explainer(identifier)),
      this.containing(),
      this.discriminate(),
      this.remainingProperties(),
      this.remainingItems(),
      functionKeyword<unknown, string>('oneWay', undefined, (message, schema) => {
        const marked = this.applicables(schema, (nodes) => nodes.some((node) => node['marked'] === true));
        return (value, holder, key, root) =>
          marked.of(value, holder, key, root) ? () => error('readOnly', message) : undefined;
      }),
      this.meter(),
    ];
  }

  private applicables<T>(schema: Node, make: (nodes: readonly Node[]) => T): Applicables<T> {
    return new Applicables([schema], this.components, this.holdsOf, make);
  }

  /** Finds the errors of a value by a component; undefined if it conforms. */
  private rejection(identifier: string, ...place: Parameters<Holds>): Explain | undefined {
    return this.holdsOf(identifier)(...place) ? undefined : this.explainer(identifier)(...place);
  }

  private explainer(identifier: string) {
    return (...[value, holder, key, root]: Parameters<Holds>): Explain =>
      (instancePath) =>
        this.violations.of(identifier, value, { instancePath, holder, key, root });
  }

  private containing(): CodeKeywordDefinition {
    interface Operand {
      readonly component: string;
      readonly min: number;
      readonly max: number | undefined;
    }
    return functionKeyword<unknown[] & Holder, Operand>('containing', 'array', ({ component, min, max }) => {
      const holds = this.holdsOf(component);
      const most = max === undefined ? '' : ` and no more than ${max}`;
      const failed = error('contains', `must contain at least ${min}${most} valid item(s)`, {
        minContains: min,
        ...(max !== undefined && { maxContains: max }),
      });
      const enough = max === undefined ? min : max + 1;
      return (items, _holder, _key, root) => {
        let count = 0;
        for (let i = 0; i < items.length && count < enough; i++) if (holds(items[i], items, i, root)) count++;
        return count >= min && (max === undefined || count <= max) ? undefined : () => failed;
      };
    });
  }

  private discriminate(): CodeKeywordDefinition {
    return functionKeyword<unknown, Discriminate>('discriminate', undefined, (rule) => {
      const { property, branches } = rule;
      const allowedValues = Object.keys(branches);
      const names = allowedValues.join(', ');
      return (value, holder, key, root) => {
        if (!isObject(value)) return this.rejectionByOthers(rule, value, holder, key, root);
        const named = namedBranch(rule, value);
        if (named === null) return undefined;
        if (named !== undefined) return this.rejection(named, value, holder, key, root);
        return Object.hasOwn(value, property)
          ? (path) =>
              error(
                'discriminator',
                `must be one of ${names}`,
                { allowedValues },
                joinPointer(path, property),
              )
          : () =>
              error('discriminator', `must have the property '${property}', which is one of ${names}`, {
                allowedValues,
                missingProperty: property,
              });
      };
    });
  }

  /** The errors of a value that is no object, by the branches of a discriminator. */
  private rejectionByOthers(
    { others }: Discriminate,
    value: unknown,
    holder: Holder,
    key: string | number,
    root: object,
  ): Explain | undefined {
    if (!others) return undefined;
    const { keyword, branches } = others;
    const count = branches.filter((branch) => this.holdsOf(branch)(value, holder, key, root)).length;
    if (keyword === 'oneOf' ? count === 1 : count > 0) return undefined;
    if (count > 1) return () => error('oneOf', 'must match exactly one schema in oneOf');
    return (instancePath) => {
      const context = { instancePath, holder, key, root };
      const errors = this.allErrors
        ? branches.flatMap((branch) => this.violations.of(branch, value, context)).slice(0, MAX_ERRORS)
        : [];
      return errors.length > 0 ? errors : error(keyword, `must match a schema in ${keyword}`);
    };
  }

  private remainingProperties(): CodeKeywordDefinition {
    return this.remaining('remainingProperties', 'object', 'additionalProperties', (nodes) => {
      const listed = new Set(nodes.flatMap(({ properties }) => members(properties).map(([name]) => name)));
      const patterns = nodes.flatMap(patternsOf).map(([pattern]) => pattern);
      return (name) => listed.has(String(name)) || patterns.some((pattern) => pattern.test(String(name)));
    });
  }

  private remainingItems(): CodeKeywordDefinition {
    return this.remaining('remainingItems', 'array', 'items', (nodes) => {
      const first = Math.max(0, ...nodes.map(({ prefixItems }) => listOf(prefixItems).length));
      const contained = nodes.flatMap(({ containing }) =>
        isObject(containing) ? [this.holdsOf(String(containing['component']))] : [],
      );
      return (i, items, root) =>
        Number(i) < first || contained.some((holds) => holds(items[i], items, i, root));
    });
  }

  /**
   * A keyword that judges the properties or items that no other schema evaluates.
   *
   * @param applicator the keyword that evaluates all of them
   */
  private remaining(
    keyword: 'remainingProperties' | 'remainingItems',
    type: 'object' | 'array',
    applicator: string,
    compile: (nodes: readonly Node[]) => IsEvaluated,
  ): CodeKeywordDefinition {
    const standard = type === 'object' ? 'unevaluatedProperties' : 'unevaluatedItems';
    const parts = type === 'object' ? 'properties' : 'items';
    const failed = error(standard, `must NOT have unevaluated ${parts}`);
    return functionKeyword<Holder, string | false>(keyword, type, (operand, schema) => {
      const reject = (...place: Parameters<Holds>) =>
        operand === false ? () => failed : this.rejection(operand, ...place);
      const evaluated = this.applicables(schema, (nodes) =>
        nodes.some((node) => applicator in node || (node !== schema && keyword in node))
          ? undefined
          : compile(nodes),
      );
      return (value, holder, key, root) => {
        const isEvaluated = evaluated.of(value, holder, key, root);
        if (!isEvaluated) return undefined;
        for (const part of Array.isArray(value) ? value.keys() : Object.keys(value)) {
          if (isEvaluated(part, value, root)) continue;
          const explain = reject(value[part], value, part, root);
          if (explain) return (path) => errorsOf(explain, joinPointer(path, part));
        }
        return undefined;
      };
    });
  }

  /** Counts the schemas that are evaluated in the search for all violations. */
  private meter(): CodeKeywordDefinition {
    const spend = (root: object) => {
      this.violations.spend(root);
    };
    return {
      keyword: 'meter',
      code: ({ gen, it }) => {
        if (it.allErrors && it.createErrors !== false)
          gen.code(_`${gen.scopeValue('func', { ref: spend })}(${ROOT_DATA})`);
      },
    };
  }
}
