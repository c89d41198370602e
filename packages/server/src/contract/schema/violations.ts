import type { ErrorObject, ValidateFunction } from 'ajv';
import type { JsonObject } from '../document/document';
import type { Components } from './applicable';
import type { Context } from './keyword';

/** The maximum number of errors of a component. More would multiply if components refer to each other. */
export const MAX_ERRORS = 10;
/** The maximum number of evaluated schemas in the search for all violations of one request or response. */
const BUDGET = 2_000;

/** Thrown if the search for all violations exceeds its budget. */
export class BudgetExceeded extends Error {
  override name = 'BudgetExceeded';
}

/** Finds the violations of components by values, within a budget. */
export class Violations {
  private readonly compiled = new Map<string, ValidateFunction>();
  /** The values whose errors are being searched. */
  private readonly open: { readonly identifier: string; readonly context: Context }[] = [];
  private readonly kept = new Map<object, Map<string, readonly ErrorObject[]>>();
  /** The value whose violations are being searched: the budget and the cache are for all that is below it. */
  private root: object | undefined;
  private spent = 0;

  /** @param compile compiles a schema to a validator that returns errors */
  constructor(
    private readonly components: Components,
    private readonly compile: (schema: JsonObject) => ValidateFunction,
  ) {}

  private begin(root: object): void {
    if (root === this.root) return;
    this.root = root;
    this.spent = 0;
    this.kept.clear();
  }

  /** Counts a schema that is evaluated in the search for all violations below a root. */
  spend(root: object): void {
    this.begin(root);
    if (++this.spent > BUDGET) throw new BudgetExceeded();
  }

  /** The errors of a value that does not conform to a component. */
  of(identifier: string, value: unknown, context: Context): readonly ErrorObject[] {
    this.begin(context.root);
    const object = typeof value === 'object' && value !== null ? value : undefined;
    const known = object && this.kept.get(object)?.get(identifier);
    if (known) return known;
    // A discriminator leads back to the same value: another schema reports the error.
    if (this.open.some((other) => other.identifier === identifier && isAt(other.context, context))) return [];
    this.open.push({ identifier, context });
    try {
      const errors = this.search(identifier, value, context);
      if (object && errors.length > 0) {
        const others = this.kept.get(object) ?? new Map<string, readonly ErrorObject[]>();
        this.kept.set(object, others.set(identifier, errors)); // at most one for each unit of the budget
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
    // The validator has the errors of its last call.
    const errors = validate(value, { instancePath, ...place, dynamicAnchors: {} }) ? [] : validate.errors;
    // Inside another search the error may be that of a pending component.
    if (errors && (errors.length > 0 || this.open.length > 1)) return errors.slice(0, MAX_ERRORS);
    return [{ instancePath, schemaPath: '', keyword: '$ref', message: 'must match its schema', params: {} }];
  }
}

/** Whether two values are the same, at the same location. */
const isAt = (one: Context, other: Context): boolean => one.holder === other.holder && one.key === other.key;
