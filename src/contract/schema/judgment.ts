/**
 * The keywords of ajv that schemas.ts adds to the standard ones. Together they make judging linear in the value: whether a
 * component is conformed to is found without a reason (verdicts.ts), and reasons are looked for only where it is not.
 */
import {
  _,
  type default as Ajv,
  type Code,
  type CodeKeywordDefinition,
  type ErrorObject,
  type KeywordCxt,
  Name,
  type ValidateFunction,
} from 'ajv';
import { isObject, type JsonObject, members } from '../document/document';
import { hasExact, type Holder } from '../json/parse';
import {
  Applicables,
  type Components,
  type Discriminate,
  listOf,
  namedBranch,
  type Node,
  patternsOf,
} from './applicable';
import { compileExact, type ExactRule } from './exact';
import type { Equals } from './exact-comparison';
import { Interner } from './identity';
import { Verdicts } from './verdicts';

/** Where a value stands. */
interface Context {
  readonly instancePath: string;
  readonly holder: Holder;
  readonly key: string | number;
  readonly root: object;
}

/** Errors of a component that are kept: more would multiply where components refer to each other. */
const MAX_ERRORS = 10;
/** Values whose errors are kept during one check. */
const MAX_KEPT = 1_000;
/** Schemas that may be evaluated in the search for all violations of one request or response. */
const BUDGET = 2_000;

/** Thrown by a check for all violations that would cost too much. */
export class BudgetExceeded extends Error {
  override name = 'BudgetExceeded';
}

type Errors = readonly Partial<ErrorObject>[];

/** A keyword that is judged by a function; it returns what is wrong, undefined if the value conforms. */
type Rule<Value, Operand> = (
  operand: Operand,
  schema: Node,
  /** Only whether anything is wrong matters. */
  quiet: boolean,
) => (value: Value, context: Context) => Errors | undefined;

const [INSTANCE_PATH, ROOT_DATA] = [new Name('instancePath'), new Name('rootData')];
const [V_ERRORS, ERRORS] = [new Name('vErrors'), new Name('errors')];

function functionKeyword<Value, Operand>(
  keyword: string,
  type: 'object' | 'array' | undefined,
  rule: Rule<Value, Operand>,
): CodeKeywordDefinition {
  return {
    keyword,
    ...(type && { type }),
    // What follows prefixItems is not judged where an array has fewer items than these.
    ...(type === 'array' && { before: 'prefixItems' }),
    code(cxt) {
      const { gen, data, it } = cxt;
      const judge = rule(cxt.schema as Operand, cxt.parentSchema, isQuiet(cxt));
      const place = (
        value: Value,
        holder: Holder,
        key: string | number,
        root: object,
        instancePath: string,
      ) => judge(value, { instancePath, holder, key, root })?.map((found) => ({ instancePath, ...found }));
      const ref = gen.scopeValue('func', { ref: place });
      const found = gen.const(
        'found',
        _`${ref}(${data}, ${it.parentData}, ${it.parentDataProperty}, ${ROOT_DATA}, ${pathOf(cxt)})`,
      );
      cxt.failResult(_`${found} !== undefined`, undefined, () => {
        report(cxt, () => found);
      });
    },
  };
}

/** Whether nobody reads the errors of a schema. */
const isQuiet = ({ it }: KeywordCxt): boolean => it.createErrors === false;

/** The code of the place of a value. */
const pathOf = (cxt: KeywordCxt): Code =>
  isQuiet(cxt) ? _`""` : _`${INSTANCE_PATH} + (${cxt.it.errorPath})`;

/** Adds the errors in a variable to those found so far. */
function report(cxt: KeywordCxt, errors: () => Name): void {
  if (isQuiet(cxt)) {
    cxt.error();
    return;
  }
  const found = errors();
  cxt.gen.assign(V_ERRORS, _`${V_ERRORS} === null ? ${found}.slice() : ${V_ERRORS}.concat(${found})`);
  cxt.gen.assign(ERRORS, _`${V_ERRORS}.length`);
}

const error = (keyword: string, message: string, params: object = {}, instancePath?: string): Errors => [
  { keyword, message, params, ...(instancePath !== undefined && { instancePath }) },
];

const exact: CodeKeywordDefinition = {
  keyword: 'exact',
  type: 'number',
  error: { message: ({ params }) => _`${params['message']}` },
  code(cxt) {
    const { gen, data, it } = cxt;
    const judge = gen.scopeValue('func', { ref: compileExact(cxt.schema as ExactRule) });
    const message = gen.const('message', _`${judge}(${data}, ${it.parentData}, ${it.parentDataProperty})`);
    cxt.setParams({ message });
    cxt.fail(_`${message} !== ""`);
  },
};

/** `bare`: a schema of which only the verdict matters, so that no errors are made. */
const bare: CodeKeywordDefinition = {
  keyword: 'bare',
  code(cxt) {
    const valid = cxt.gen.name('valid');
    cxt.subschema({ keyword: 'bare', createErrors: false, allErrors: false }, valid);
    cxt.ok(valid);
  },
};

/** Makes the branches of a schema give no reason: the search for the first violation looks no further. */
export function silenceBranches(ajv: Pick<Ajv, 'getKeyword' | 'removeKeyword' | 'addKeyword'>): void {
  for (const keyword of ['anyOf', 'oneOf']) {
    const known = ajv.getKeyword(keyword) as CodeKeywordDefinition;
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      ...known,
      keyword,
      code(cxt, ruleType) {
        const apply = cxt.subschema.bind(cxt);
        const fail = cxt.error.bind(cxt);
        cxt.subschema = (application, valid) => apply({ ...application, createErrors: false }, valid);
        cxt.error = (append) => {
          cxt.reset(); // those of the branches are empty
          fail(append);
        };
        known.code(cxt, ruleType);
      },
    });
  }
}

/** Judges by components, each value once. */
export class Judgment {
  readonly verdicts: Verdicts;
  private readonly compiled = new Map<string, ValidateFunction>();
  /** The places whose errors are being looked for. */
  private readonly open: { readonly identifier: string; readonly context: Context }[] = [];
  private readonly kept = new Map<object, Map<string, readonly ErrorObject[]>>();
  private spent = 0;
  private readonly interners = new WeakMap<object, Interner>();

  /**
   * @param compile compiles a schema for the instance of ajv that has these keywords
   * @param verdicts those of another judge of the same components
   */
  constructor(
    private readonly components: Components,
    private readonly constants: Interner,
    private readonly allErrors: boolean,
    private readonly compile: (schema: JsonObject) => ValidateFunction,
    verdicts?: Verdicts,
  ) {
    this.verdicts = verdicts ?? new Verdicts(components, (schema) => compile({ bare: schema }));
  }

  /** Starts to judge another value. */
  begin(): void {
    this.spent = 0;
    if (this.kept.size > 0) this.kept.clear(); // which takes its time also of an empty map
  }

  /** Why a value does not conform to a component; undefined if it does. */
  private reasons(identifier: string, value: unknown, context: Context): readonly ErrorObject[] | undefined {
    const { holder, key, root } = context;
    if (this.verdicts.of(identifier)(value, holder, key, root)) return undefined;
    const object = typeof value === 'object' && value !== null ? value : undefined;
    const known = object && this.kept.get(object)?.get(identifier);
    if (known) return known;
    // It rests on itself, by a discriminator: the reason is another one.
    if (this.open.some((other) => other.identifier === identifier && isAt(other.context, context)))
      return undefined;
    this.open.push({ identifier, context });
    try {
      const errors = this.search(identifier, value, context);
      if (object && errors.length > 0 && this.kept.size < MAX_KEPT) {
        this.kept.set(
          object,
          (this.kept.get(object) ?? new Map<string, readonly ErrorObject[]>()).set(identifier, errors),
        );
      }
      return errors;
    } finally {
      this.open.pop();
    }
  }

  private search(identifier: string, value: unknown, context: Context): readonly ErrorObject[] {
    const known = this.compiled.get(identifier);
    const validate = known ?? this.compile(this.components[identifier] ?? {});
    if (!known) this.compiled.set(identifier, validate);
    const { instancePath, holder, key, root } = context;
    const place = { parentData: holder, parentDataProperty: key, rootData: root };
    // Its errors are those of its last call.
    const errors = validate(value, { instancePath, ...place, dynamicAnchors: {} }) ? [] : validate.errors;
    // Within others it may rest on one of them, which has the reason.
    if (errors && (errors.length > 0 || this.open.length > 1)) return errors.slice(0, MAX_ERRORS);
    return [{ instancePath, schemaPath: '', keyword: 'judge', message: 'must match its schema', params: {} }];
  }

  private applicables<T>(schema: Node, make: (nodes: readonly Node[]) => T): Applicables<T> {
    return new Applicables([schema], this.components, this.verdicts.of, make);
  }

  private interner({ root }: Context): Interner {
    const known = this.interners.get(root);
    if (known) return known;
    const interner = new Interner(this.constants);
    this.interners.set(root, interner);
    return interner;
  }

  keywords(): CodeKeywordDefinition[] {
    return [
      exact,
      bare,
      this.judge(),
      functionKeyword<unknown[], true>('unique', 'array', () => (items, context) => {
        const interner = this.interner(context);
        const distinct = new Set(items.map((_item, i) => interner.of(items, i)));
        return distinct.size === items.length ? undefined : error('unique', 'must NOT have duplicate items');
      }),
      this.equals(),
      this.containing(),
      this.discriminate(),
      this.remainingProperties(),
      this.remainingItems(),
      functionKeyword<unknown, string>('oneWay', undefined, (message, schema) => {
        const goes = this.applicables(schema, (nodes) => nodes.some((node) => node['marked'] === true));
        return (value, { holder, key, root }) =>
          goes.of(value, holder, key, root) ? error('oneWay', message) : undefined;
      }),
      this.meter(),
    ];
  }

  /** `judge`: the component that the value conforms to. */
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
            ) => this.reasons(identifier, value, { instancePath: at, holder, key, root }) ?? [];
            const ref = gen.scopeValue('func', { ref: reasons });
            return gen.const('found', _`${ref}(${place}, ${pathOf(cxt)})`);
          });
        });
      },
    };
  }

  /** `enum` and `const`, each number as it is written, objects and arrays by their number. */
  private equals(): CodeKeywordDefinition {
    return functionKeyword<unknown, Equals>('equals', undefined, ({ primitives, numbers, message }) => {
      const [simple, others] = [new Set(primitives), new Set(numbers)];
      const failed = error('equals', message);
      return (value, context) => {
        const { holder, key } = context;
        const structured = typeof value === 'object' && value !== null;
        if (!structured && !hasExact(holder, key)) return simple.has(value) ? undefined : failed;
        return others.size > 0 && others.has(this.interner(context).of(holder, key)) ? undefined : failed;
      };
    });
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
                `${context.instancePath}/${escape(rule.property)}`,
              )
            : error('discriminator', `must have the property '${rule.property}', which is one of ${names}`);
        }
        return named === null ? undefined : this.failing(named, value, context, quiet);
      };
    });
  }

  /** Why a value does not conform to a component; if quiet, that it does not. */
  private failing(identifier: string, value: unknown, context: Context, quiet: boolean): Errors | undefined {
    if (!quiet) return this.reasons(identifier, value, context);
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
        ? others.branches.flatMap((branch) => this.reasons(branch, value, context) ?? [])
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
    const below = quiet ? '' : `${instancePath}/${escape(key)}`;
    if (operand !== false) {
      return this.failing(operand, holder[key], { instancePath: below, holder, key, root }, quiet);
    }
    return typeof key === 'string'
      ? error('unevaluatedProperties', 'must NOT have unevaluated properties', { unevaluatedProperty: key })
      : error('unevaluatedItems', 'must NOT have unevaluated items', {}, below);
  }

  /** Counts the schemas that are evaluated in the search for all violations. */
  private meter(): CodeKeywordDefinition {
    const spend = () => {
      if (++this.spent > BUDGET) throw new BudgetExceeded();
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

/** Whether two values are one, in the same place. */
const isAt = (one: Context, other: Context): boolean => one.holder === other.holder && one.key === other.key;

/** Whether a schema evaluates all properties or items that are left to it. */
const evaluatesAll = (node: Node, self: Node, applicator: string, remaining: string): boolean =>
  applicator in node || (node !== self && remaining in node);

const escape = (step: string | number): string => String(step).replace(/~/g, '~0').replace(/\//g, '~1');
