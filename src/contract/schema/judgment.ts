/**
 * The ajv keywords that rewrite.ts adds to the standard ones. They make judging linear in the value: verdicts.ts finds
 * whether it conforms to a component, and reasons.ts finds the violations.
 */
import { _, type CodeKeywordDefinition, type ValidateFunction } from 'ajv';
import { joinPointer, isObject, type JsonObject, members } from '../document/document';
import type { Holder } from '../json/parse';
import {
  Applicables,
  type Components,
  type Discriminate,
  listOf,
  namedBranch,
  type Node,
  patternsOf,
} from './applicable';
import { equalityKeywords } from './equality';
import type { Interner } from './identity';
import {
  bare,
  type Context,
  error,
  type Errors,
  exact,
  functionKeyword,
  pathOf,
  report,
  ROOT_DATA,
} from './keyword';
import { MAX_ERRORS, Reasons } from './reasons';
import { Verdicts } from './verdicts';

/** Judges values by components, each value once. */
export class Judgment {
  readonly verdicts: Verdicts;
  readonly reasons: Reasons;

  /**
   * @param compile compiles a schema for the instance of ajv that has these keywords
   * @param verdicts the verdicts of another judge of the same components
   */
  constructor(
    private readonly components: Components,
    private readonly constants: Interner,
    private readonly allErrors: boolean,
    compile: (schema: JsonObject) => ValidateFunction,
    verdicts?: Verdicts,
  ) {
    this.verdicts = verdicts ?? new Verdicts(components, (schema) => compile({ bare: schema }));
    this.reasons = new Reasons(components, this.verdicts, compile);
  }

  private applicables<T>(schema: Node, make: (nodes: readonly Node[]) => T): Applicables<T> {
    return new Applicables([schema], this.components, this.verdicts.of, make);
  }

  keywords(): CodeKeywordDefinition[] {
    return [
      exact,
      bare,
      this.judge(),
      ...equalityKeywords(this.constants),
      this.containing(),
      this.discriminate(),
      this.remainingProperties(),
      this.remainingItems(),
      functionKeyword<unknown, string>('oneWay', undefined, (message, schema) => {
        const marked = this.applicables(schema, (nodes) => nodes.some((node) => node['marked'] === true));
        return (value, { holder, key, root }) =>
          marked.of(value, holder, key, root) ? error('oneWay', message) : undefined;
      }),
      this.meter(),
    ];
  }

  /** The keyword `judge`: the value must conform to a component. */
  private judge(): CodeKeywordDefinition {
    return {
      keyword: 'judge',
      code: (cxt) => {
        const { gen, data, it } = cxt;
        const identifier = cxt.schema as string;
        const holds = gen.scopeValue('func', { ref: this.verdicts.of(identifier) });
        const place = _`${data}, ${it.parentData}, ${it.parentDataProperty}, ${ROOT_DATA}`;
        cxt.failResult(_`!${holds}(${place})`, undefined, () => {
          report(cxt, () => {
            const reasons = (
              value: unknown,
              holder: Holder,
              key: string | number,
              root: object,
              at: string,
            ) => this.reasons.of(identifier, value, { instancePath: at, holder, key, root }) ?? [];
            const ref = gen.scopeValue('func', { ref: reasons });
            return gen.const('found', _`${ref}(${place}, ${pathOf(cxt)})`);
          });
        });
      },
    };
  }

  private containing(): CodeKeywordDefinition {
    interface Operand {
      readonly judge: string;
      readonly min: number;
      readonly max: number | undefined;
    }
    return functionKeyword<unknown[], Operand>('containing', 'array', ({ judge, min, max }) => {
      const holds = this.verdicts.of(judge);
      return (items, { root }) => {
        let count = 0;
        const enough = max === undefined ? min : max + 1;
        for (let i = 0; i < items.length && count < enough; i++) {
          if (holds(items[i], items as unknown[] & Holder, i, root)) count++;
        }
        if (count >= min && (max === undefined || count <= max)) return undefined;
        const most = max === undefined ? '' : ` and no more than ${max}`;
        return error('contains', `must contain at least ${min}${most} valid item(s)`);
      };
    });
  }

  private discriminate(): CodeKeywordDefinition {
    return functionKeyword<unknown, Discriminate>('discriminate', undefined, (rule, _schema, quiet) => {
      const names = Object.keys(rule.branches).join(', ');
      return (value, context) => {
        if (!isObject(value)) return this.judgeOthers(rule, value, context, quiet);
        const named = namedBranch(rule, value);
        if (named === undefined) {
          const given = Object.hasOwn(value, rule.property);
          return given
            ? error(
                'discriminator',
                `must be one of ${names}`,
                {},
                joinPointer(context.instancePath, rule.property),
              )
            : error('discriminator', `must have the property '${rule.property}', which is one of ${names}`);
        }
        return named === null ? undefined : this.failing(named, value, context, quiet);
      };
    });
  }

  /** The errors of a value that does not conform to a component; if quiet, any error. */
  private failing(identifier: string, value: unknown, context: Context, quiet: boolean): Errors | undefined {
    if (!quiet) return this.reasons.of(identifier, value, context);
    const { holder, key, root } = context;
    return this.verdicts.of(identifier)(value, holder, key, root) ? undefined : [];
  }

  private judgeOthers({ others }: Discriminate, value: unknown, context: Context, quiet: boolean) {
    if (!others) return undefined;
    const { holder, key, root } = context;
    const count = others.branches.filter((branch) =>
      this.verdicts.of(branch)(value, holder, key, root),
    ).length;
    if (others.keyword === 'oneOf' ? count === 1 : count > 0) return undefined;
    if (count > 1) return error('oneOf', 'must match exactly one schema in oneOf');
    const errors =
      this.allErrors && !quiet
        ? others.branches.flatMap((branch) => this.reasons.of(branch, value, context) ?? [])
        : [];
    if (errors.length > 0) return errors.slice(0, MAX_ERRORS);
    return error(others.keyword, `must match a schema in ${others.keyword}`);
  }

  private remainingProperties(): CodeKeywordDefinition {
    return functionKeyword<Holder, string | false>(
      'remainingProperties',
      'object',
      (operand, schema, quiet) => {
        const remaining = this.applicables(schema, (nodes) =>
          nodes.some((node) => evaluatesAll(node, schema, 'additionalProperties', 'remainingProperties'))
            ? undefined
            : {
                listed: new Set(nodes.flatMap(({ properties }) => members(properties).map(([name]) => name))),
                patterns: nodes.flatMap(patternsOf),
              },
        );
        return (object, context) => {
          const others = remaining.of(object, context.holder, context.key, context.root);
          if (!others) return undefined;
          for (const name of Object.keys(object)) {
            if (others.listed.has(name) || others.patterns.some(([pattern]) => pattern.test(name))) continue;
            const errors = this.judgeRemaining(operand, object, name, context, quiet);
            if (errors !== undefined) return errors;
          }
          return undefined;
        };
      },
    );
  }

  private remainingItems(): CodeKeywordDefinition {
    return functionKeyword<unknown[], string | false>('remainingItems', 'array', (operand, schema, quiet) => {
      const remaining = this.applicables(schema, (nodes) =>
        nodes.some((node) => evaluatesAll(node, schema, 'items', 'remainingItems'))
          ? undefined
          : {
              first: Math.max(0, ...nodes.map(({ prefixItems }) => listOf(prefixItems).length)),
              contained: nodes.flatMap(({ containing }) =>
                isObject(containing) ? [this.verdicts.of(String(containing['judge']))] : [],
              ),
            },
      );
      return (items, context) => {
        const others = remaining.of(items, context.holder, context.key, context.root);
        if (!others) return undefined;
        const holder = items as unknown[] & Holder;
        for (let i = others.first; i < items.length; i++) {
          const index = i;
          if (others.contained.some((holds) => holds(items[index], holder, index, context.root))) continue;
          const errors = this.judgeRemaining(operand, holder, i, context, quiet);
          if (errors !== undefined) return errors;
        }
        return undefined;
      };
    });
  }

  /** Judges a property or item that no other schema evaluates. */
  private judgeRemaining(
    operand: string | false,
    holder: Holder,
    key: string | number,
    { instancePath, root }: Context,
    quiet: boolean,
  ): Errors | undefined {
    const place = quiet ? '' : joinPointer(instancePath, key);
    if (operand !== false) {
      return this.failing(operand, holder[key], { instancePath: place, holder, key, root }, quiet);
    }
    return typeof key === 'string'
      ? error('unevaluatedProperties', 'must NOT have unevaluated properties', { unevaluatedProperty: key })
      : error('unevaluatedItems', 'must NOT have unevaluated items', {}, place);
  }

  /** Counts the schemas that are evaluated in the search for all violations. */
  private meter(): CodeKeywordDefinition {
    const spend = () => {
      this.reasons.spend();
    };
    return {
      keyword: 'meter',
      code: ({ gen, it }) => {
        if (it.allErrors && it.createErrors !== false)
          gen.code(_`${gen.scopeValue('func', { ref: spend })}()`);
      },
    };
  }
}

/** Whether a schema evaluates all remaining properties or items. */
const evaluatesAll = (node: Node, self: Node, applicator: string, remaining: string): boolean =>
  applicator in node || (node !== self && remaining in node);
