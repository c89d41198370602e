/**
 * The keywords of ajv that schemas.ts adds to the standard ones. Together they make judging linear in the value: a
 * component is compiled once, and judges an object or array once, however many branches refer to it.
 */
import {
  _,
  type CodeKeywordDefinition,
  type ErrorObject,
  type FuncKeywordDefinition,
  type KeywordDefinition,
  type SchemaValidateFunction,
  type ValidateFunction,
} from 'ajv';
import { isObject, type JsonObject } from '../document';
import { hasExact, type Holder } from '../json';
import {
  applicable,
  type Components,
  type Discriminate,
  listOf,
  namedBranch,
  type Node,
  patternsOf,
} from './applicable';
import { compileExact, type ExactRule } from './exact';
import { Interner } from './identity';

/** What ajv hands to a keyword beside the value (its DataValidationCxt, as far as it is needed). */
interface Context {
  readonly instancePath: string;
  readonly parentData: Holder;
  readonly parentDataProperty: string | number;
  readonly rootData: object;
}

/** `equals`: the values that a schema allows, as JSON. */
export interface Equals {
  /** Those that are equal to their JavaScript value. */
  readonly primitives: readonly unknown[];
  /** Of those that must be compared otherwise: objects, arrays, and integers that no double can hold. */
  readonly numbers: readonly number[];
  readonly message: string;
}

/** Errors of a component that are kept: more would multiply where components refer to each other. */
const MAX_ERRORS = 10;
/** Verdicts of one check whose errors are kept; of others only that there were errors. */
const MAX_KEPT = 1_000;
/** Schemas that may be evaluated in the search for all violations of one request or response. */
const BUDGET = 2_000;

type Verdict = true | readonly ErrorObject[];
/** The verdicts on one value by component; a number is the place on the stack of one that is being found. */
type Verdicts = Map<string, Verdict | number>;

/** Thrown by a check for all violations that would cost too much. */
export class BudgetExceeded extends Error {
  override name = 'BudgetExceeded';
}

/** A keyword that is judged by a function; it returns what is wrong, nothing if the value conforms. */
type Rule<Value, Operand> = (
  operand: Operand,
  schema: Node,
) => (value: Value, context: Context) => readonly Partial<ErrorObject>[] | undefined;

function functionKeyword<Value, Operand>(
  keyword: string,
  type: 'object' | 'array' | undefined,
  rule: Rule<Value, Operand>,
): FuncKeywordDefinition {
  return {
    keyword,
    ...(type && { type }),
    // What follows prefixItems is not judged where an array has fewer items than these.
    ...(type === 'array' && { before: 'prefixItems' }),
    errors: 'full',
    compile(operand: Operand, schema) {
      const judge = rule(operand, schema);
      const validate: SchemaValidateFunction = (value: Value, context: unknown) => {
        const errors = judge(value, context as Context);
        if (errors === undefined) return true;
        validate.errors = errors.slice(); // ajv cuts and extends the array that it is given
        return false;
      };
      return validate;
    },
  };
}

const error = (keyword: string, message: string, params: object = {}, instancePath?: string) => [
  { keyword, message, params, ...(instancePath !== undefined && { instancePath }) },
];

/** The verdict on a value that does not conform, where the errors are not kept. */
const UNKEPT: readonly ErrorObject[] = [];

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

/** Judges by components, each value once. */
export class Judgment {
  /** Compiles a schema for the instance of ajv that has these keywords. */
  compile: (schema: JsonObject) => ValidateFunction = () => {
    throw new Error('the judge has no compiler yet');
  };
  private readonly compiled = new Map<string, ValidateFunction>();
  private readonly verdicts = new WeakMap<object, Verdicts>();
  /** The value that was judged last: its branches follow each other. */
  private last: { value: unknown; holder: object | undefined; key: string | number; verdicts: Verdicts };
  private depth = 0;
  /** The lowest place on the stack whose verdict is assumed by one that is being found. */
  private assumed = Infinity;
  private spent = 0;
  private kept = 0;
  private readonly interners = new WeakMap<object, Interner>();

  constructor(
    private readonly components: Components,
    private readonly constants: Interner,
    private readonly allErrors: boolean,
  ) {
    this.last = { value: undefined, holder: undefined, key: '', verdicts: new Map() };
  }

  /** Whether the value at `holder[key]` conforms to a component. */
  takes(identifier: string, holder: Holder, key: string | number, rootData: object): boolean {
    const context = { instancePath: '', parentData: holder, parentDataProperty: key, rootData };
    return this.verdict(identifier, holder[key], context) === true;
  }

  /** Starts to judge another value. */
  begin(): void {
    this.spent = 0;
    this.kept = 0;
  }

  private component(identifier: string): ValidateFunction {
    const known = this.compiled.get(identifier);
    if (known) return known;
    const validate = this.compile(this.components[identifier] ?? {});
    this.compiled.set(identifier, validate);
    return validate;
  }

  /** What is known of a value. Of a primitive it is known only until another value is judged. */
  private verdictsOn(value: unknown, { parentData: holder, parentDataProperty: key }: Context): Verdicts {
    const { last } = this;
    if (typeof value === 'object' && value !== null) {
      if (value === last.value) return last.verdicts;
      const known = this.verdicts.get(value);
      const verdicts = known ?? (new Map() as Verdicts);
      if (!known) this.verdicts.set(value, verdicts);
      this.last = { value, holder: undefined, key, verdicts };
      return verdicts;
    }
    // A number is exactly what was written at its place.
    if (last.holder !== holder || last.key !== key || !Object.is(last.value, value)) {
      this.last = { value, holder, key, verdicts: new Map() };
    }
    return this.last.verdicts;
  }

  private verdict(identifier: string, value: unknown, context: Context): Verdict {
    const verdicts = this.verdictsOn(value, context);
    const known = verdicts.get(identifier);
    if (typeof known === 'number') {
      this.assumed = Math.min(this.assumed, known);
      return true;
    }
    if (known !== undefined) return known;
    const validate = this.component(identifier);
    const depth = this.depth++;
    const outer = this.assumed;
    this.assumed = Infinity;
    verdicts.set(identifier, depth);
    let verdict: Verdict | undefined;
    try {
      verdict = run(validate, value, context);
      const found = verdict;
      if (found !== true && ++this.kept > MAX_KEPT) verdict = UNKEPT;
      return found;
    } finally {
      // One that rests on what is not decided yet, holds for this place only.
      if (verdict === undefined || this.assumed < depth) verdicts.delete(identifier);
      else verdicts.set(identifier, verdict);
      this.assumed = Math.min(outer, this.assumed < depth ? this.assumed : Infinity);
      this.depth = depth;
    }
  }

  /** The schemas that apply to a value in place, by the verdicts of this judge. */
  private applicableTo(schema: Node, value: unknown, context: Context): readonly Node[] {
    const takes = (identifier: string) => this.verdict(identifier, value, context) === true;
    return applicable([schema], this.components, value, takes).nodes;
  }

  private interner({ rootData }: Context): Interner {
    const known = this.interners.get(rootData);
    if (known) return known;
    const interner = new Interner(this.constants);
    this.interners.set(rootData, interner);
    return interner;
  }

  keywords(): KeywordDefinition[] {
    return [
      exact,
      functionKeyword<unknown, string>('judge', undefined, (identifier) => (value, context) => {
        const verdict = this.verdict(identifier, value, context);
        if (verdict === true) return undefined;
        return verdict === UNKEPT ? error('judge', 'must match its schema') : verdict;
      }),
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
      functionKeyword<unknown, string>('oneWay', undefined, (message, schema) => (value, context) => {
        const goes = this.applicableTo(schema, value, context).some((node) => node['marked'] === true);
        return goes ? error('oneWay', message) : undefined;
      }),
      this.meter(),
    ];
  }

  /** `enum` and `const`, each number as it is written, objects and arrays by their number. */
  private equals(): FuncKeywordDefinition {
    return functionKeyword<unknown, Equals>('equals', undefined, ({ primitives, numbers, message }) => {
      const [simple, others] = [new Set(primitives), new Set(numbers)];
      const failed = () => error('equals', message); // ajv writes into the errors that it is given
      return (value, context) => {
        const { parentData: holder, parentDataProperty: key } = context;
        const structured = typeof value === 'object' && value !== null;
        if (!structured && !hasExact(holder, key)) return simple.has(value) ? undefined : failed();
        return others.size > 0 && others.has(this.interner(context).of(holder, key)) ? undefined : failed();
      };
    });
  }

  private containing(): FuncKeywordDefinition {
    interface Operand {
      readonly judge: string;
      readonly min: number;
      readonly max: number | undefined;
    }
    return functionKeyword<unknown[], Operand>(
      'containing',
      'array',
      ({ judge, min, max }) =>
        (items, context) => {
          let count = 0;
          const enough = max === undefined ? min : max + 1;
          for (let i = 0; i < items.length && count < enough; i++) {
            if (this.takesChild(judge, items as unknown[] & Holder, i, context)) count++;
          }
          if (count >= min && (max === undefined || count <= max)) return undefined;
          const most = max === undefined ? '' : ` and no more than ${max}`;
          return error('contains', `must contain at least ${min}${most} valid item(s)`);
        },
    );
  }

  private takesChild(identifier: string, holder: Holder, key: string | number, context: Context): boolean {
    return this.verdict(identifier, holder[key], childContext(context, holder, key)) === true;
  }

  private discriminate(): FuncKeywordDefinition {
    return functionKeyword<unknown, Discriminate>('discriminate', undefined, (rule) => {
      const names = Object.keys(rule.branches).join(', ');
      return (value, context) => {
        if (!isObject(value)) return this.judgeOthers(rule, value, context);
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
        const verdict = named === null ? true : this.verdict(named, value, context);
        if (verdict === true) return undefined;
        return verdict === UNKEPT ? error('judge', 'must match its schema') : verdict;
      };
    });
  }

  private judgeOthers({ others }: Discriminate, value: unknown, context: Context) {
    if (!others) return undefined;
    const verdicts = others.branches.map((branch) => this.verdict(branch, value, context));
    const count = verdicts.filter((verdict) => verdict === true).length;
    if (others.keyword === 'oneOf' ? count === 1 : count > 0) return undefined;
    if (count > 1) return error('oneOf', 'must match exactly one schema in oneOf');
    const errors = verdicts.flatMap((verdict) => (verdict === true ? [] : verdict)).slice(0, MAX_ERRORS);
    return errors.length > 0 ? errors : error(others.keyword, `must match a schema in ${others.keyword}`);
  }

  private remainingProperties(): FuncKeywordDefinition {
    return functionKeyword<Holder, string | false>('remainingProperties', 'object', (operand, schema) => {
      return (object, context) => {
        const nodes = this.applicableTo(schema, object, context);
        if (nodes.some((node) => evaluatesAll(node, schema, 'additionalProperties', 'remainingProperties'))) {
          return undefined;
        }
        const listed = nodes.flatMap(({ properties }) => (isObject(properties) ? [properties] : []));
        const patterns = nodes.flatMap(patternsOf);
        for (const name of Object.keys(object)) {
          if (listed.some((properties) => Object.hasOwn(properties, name))) continue;
          if (patterns.some(([pattern]) => pattern.test(name))) continue;
          const errors = this.judgeRemaining(operand, object, name, context);
          if (errors !== undefined) return errors;
        }
        return undefined;
      };
    });
  }

  private remainingItems(): FuncKeywordDefinition {
    return functionKeyword<unknown[], string | false>('remainingItems', 'array', (operand, schema) => {
      return (items, context) => {
        const nodes = this.applicableTo(schema, items, context);
        if (nodes.some((node) => evaluatesAll(node, schema, 'items', 'remainingItems'))) return undefined;
        const first = Math.max(0, ...nodes.map(({ prefixItems }) => listOf(prefixItems).length));
        const contained = nodes.flatMap(({ containing }) =>
          isObject(containing) ? [String(containing['judge'])] : [],
        );
        const holder = items as unknown[] & Holder;
        for (let i = first; i < items.length; i++) {
          const index = i;
          if (contained.some((identifier) => this.takesChild(identifier, holder, index, context))) continue;
          const errors = this.judgeRemaining(operand, holder, i, context);
          if (errors !== undefined) return errors;
        }
        return undefined;
      };
    });
  }

  /** Judges a property or item that no other schema evaluates. */
  private judgeRemaining(operand: string | false, holder: Holder, key: string | number, context: Context) {
    const child = childContext(context, holder, key);
    const verdict = operand === false ? UNKEPT : this.verdict(operand, holder[key], child);
    if (verdict === true) return undefined;
    if (verdict !== UNKEPT) return verdict;
    return typeof key === 'string'
      ? error('unevaluatedProperties', 'must NOT have unevaluated properties', { unevaluatedProperty: key })
      : error('unevaluatedItems', 'must NOT have unevaluated items', {}, child.instancePath);
  }

  /** Counts the schemas that are evaluated in the search for all violations. */
  private meter(): CodeKeywordDefinition {
    const spend = () => {
      if (++this.spent > BUDGET) throw new BudgetExceeded();
    };
    return {
      keyword: 'meter',
      code: ({ gen }) => {
        if (this.allErrors) gen.code(_`${gen.scopeValue('func', { ref: spend })}()`);
      },
    };
  }
}

const childContext = (context: Context, holder: Holder, key: string | number): Context => ({
  instancePath: `${context.instancePath}/${escape(key)}`,
  parentData: holder,
  parentDataProperty: key,
  rootData: context.rootData,
});

function run(validate: ValidateFunction, value: unknown, context: Context): Verdict {
  // Its errors are those of its last call.
  if (validate(value, { ...context, dynamicAnchors: {} })) return true;
  return (validate.errors ?? []).slice(0, MAX_ERRORS);
}

/** Whether a schema evaluates all properties or items that are left to it. */
const evaluatesAll = (node: Node, self: Node, applicator: string, remaining: string): boolean =>
  applicator in node || (node !== self && remaining in node);

const escape = (step: string | number): string => String(step).replace(/~/g, '~0').replace(/\//g, '~1');
