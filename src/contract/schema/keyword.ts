import {
  _,
  type default as Ajv,
  type Code,
  type CodeKeywordDefinition,
  type ErrorObject,
  type KeywordCxt,
  Name,
} from 'ajv';
import type { Holder } from '../json/parse';
import type { Node } from './applicable';
import { compileExact, type ExactRule } from './exact';

/** The location of a value. */
export interface Context {
  readonly instancePath: string;
  readonly holder: Holder;
  readonly key: string | number;
  readonly root: object;
}

export type Errors = readonly Partial<ErrorObject>[];

/** The function of a keyword. Returns the errors; undefined if the value conforms. */
type Rule<Value, Operand> = (
  operand: Operand,
  schema: Node,
  /** Only the verdict matters: any error will do. */
  quiet: boolean,
) => (value: Value, context: Context) => Errors | undefined;

export const [INSTANCE_PATH, ROOT_DATA] = [new Name('instancePath'), new Name('rootData')];
const [V_ERRORS, ERRORS] = [new Name('vErrors'), new Name('errors')];

/** Defines a keyword by the function that judges its values. */
export function functionKeyword<Value, Operand>(
  keyword: string,
  type: 'object' | 'array' | undefined,
  rule: Rule<Value, Operand>,
): CodeKeywordDefinition {
  return {
    keyword,
    ...(type && { type }),
    // ajv skips the keywords after prefixItems if an array has fewer items than prefixItems.
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

/** Whether the errors of a schema are discarded. */
export const isQuiet = ({ it }: KeywordCxt): boolean => it.createErrors === false;

/** The code of the JSON pointer to a value. */
export const pathOf = (cxt: KeywordCxt): Code =>
  isQuiet(cxt) ? _`""` : _`${INSTANCE_PATH} + (${cxt.it.errorPath})`;

/** Adds the errors in a variable to those found so far. */
export function report(cxt: KeywordCxt, errors: () => Name): void {
  if (isQuiet(cxt)) {
    cxt.error();
    return;
  }
  const found = errors();
  cxt.gen.assign(V_ERRORS, _`${V_ERRORS} === null ? ${found}.slice() : ${V_ERRORS}.concat(${found})`);
  cxt.gen.assign(ERRORS, _`${V_ERRORS}.length`);
}

export const error = (
  keyword: string,
  message: string,
  params: object = {},
  instancePath?: string,
): Errors => [{ keyword, message, params, ...(instancePath !== undefined && { instancePath }) }];

export const exact: CodeKeywordDefinition = {
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

/** The keyword `bare`: a schema whose verdict matters, but not its errors. */
export const bare: CodeKeywordDefinition = {
  keyword: 'bare',
  code(cxt) {
    const valid = cxt.gen.name('valid');
    cxt.subschema({ keyword: 'bare', createErrors: false, allErrors: false }, valid);
    cxt.ok(valid);
  },
};

/** Disables the errors of branches: the check for the first violation does not use them. */
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
          cxt.reset(); // the branches have no errors
          fail(append);
        };
        known.code(cxt, ruleType);
      },
    });
  }
}
