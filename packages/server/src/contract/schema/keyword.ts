import {
  _,
  type Code,
  type CodeGen,
  type CodeKeywordDefinition,
  type ErrorObject,
  type KeywordCxt,
  Name,
} from 'ajv';
import type { Holder } from '../json/values';
import type { Holds, HoldsOf, Node } from './applicable';
import type { ViolationParams } from '../problem';
import { compileExact, type ExactRule } from './exact';

/** The location of a value. */
export interface Context {
  readonly instancePath: string;
  readonly holder: Holder;
  readonly key: string | number;
  readonly root: object;
}

export type Errors = readonly Partial<ErrorObject>[];

/** Finds the errors of a value that does not conform, by the JSON pointer to it. */
export type Explain = (instancePath: string) => Errors;

/** Compiles the function that judges the value at `holder[key]`. It returns undefined if the value conforms. */
type Compile<Value, Operand> = (
  operand: Operand,
  schema: Node,
) => (value: Value, holder: Holder, key: string | number, root: object) => Explain | undefined;

const INSTANCE_PATH = new Name('instancePath');
/** The variable of generated code that has the envelope. */
export const ROOT_DATA = new Name('rootData');
const [V_ERRORS, ERRORS] = [new Name('vErrors'), new Name('errors')];

/** A function that generated code calls. */
type Callable = (...values: never[]) => unknown;

/**
 * The functions that a keyword has for the schemas of one compiler. They are one value for ajv, which takes squared time for the
 * number of values to which the code of a validator refers.
 *
 * @returns adds a function; its code is the result
 */
function functionTable(): (gen: CodeGen, added: Callable) => Code {
  const table: Callable[] = [];
  return (gen, added) => _`${gen.scopeValue('func', { ref: table })}[${table.push(added) - 1}]`;
}

export const errorsOf = (explain: Explain, instancePath: string): Errors =>
  explain(instancePath).map((found) => ({ instancePath, ...found }));

/** Defines a keyword by the function that judges its values. */
export function functionKeyword<Value, Operand>(
  keyword: string,
  type: 'object' | 'array' | undefined,
  compile: Compile<Value, Operand>,
): CodeKeywordDefinition {
  const code = functionTable();
  return {
    keyword,
    ...(type && { type }),
    // ajv skips the keywords after prefixItems if an array has fewer items than prefixItems.
    ...(type === 'array' && { before: 'prefixItems' }),
    code(cxt) {
      const judge = code(cxt.gen, compile(cxt.schema as Operand, cxt.parentSchema));
      const explain = cxt.gen.const('explain', _`${judge}(${placeOf(cxt)})`);
      failIf(cxt, _`${explain} !== undefined`, explain);
    },
  };
}

/** The keyword `component`: the generated code calls the function of the component itself, since most values conform. */
export function componentKeyword(
  holdsOf: HoldsOf,
  explain: (identifier: string) => (...place: Parameters<Holds>) => Explain,
): CodeKeywordDefinition {
  const code = functionTable();
  return {
    keyword: 'component',
    code(cxt) {
      const holds = code(cxt.gen, holdsOf(cxt.schema as string));
      const explainer = cxt.gen.scopeValue('func', { ref: explain });
      failIf(cxt, _`!${holds}(${placeOf(cxt)})`, _`${explainer}(${cxt.schema as string})(${placeOf(cxt)})`);
    },
  };
}

/** The code of a value and its location. */
const placeOf = ({ data, it }: KeywordCxt): Code =>
  _`${data}, ${it.parentData}, ${it.parentDataProperty}, ${ROOT_DATA}`;

/** @param explain the code of the function that finds the errors */
function failIf(cxt: KeywordCxt, condition: Code, explain: Code): void {
  const { gen, it } = cxt;
  cxt.failResult(condition, undefined, () => {
    if (it.createErrors === false) {
      cxt.error();
      return;
    }
    const search = gen.scopeValue('func', { ref: errorsOf });
    const found = gen.const('found', _`${search}(${explain}, ${INSTANCE_PATH} + (${it.errorPath}))`);
    gen.assign(V_ERRORS, _`${V_ERRORS} === null ? ${found} : ${V_ERRORS}.concat(${found})`);
    gen.assign(ERRORS, _`${V_ERRORS}.length`);
  });
}

/** @param keyword the standard keyword that is violated */
export const error = (
  keyword: string,
  message: string,
  params: ViolationParams = {},
  instancePath?: string,
): Errors => [{ keyword, message, params, ...(instancePath !== undefined && { instancePath }) }];

/** The keyword `exact` judges numbers. */
export function exactKeyword(): CodeKeywordDefinition {
  const code = functionTable();
  return {
    keyword: 'exact',
    type: 'number',
    error: {
      message: ({ params }) => _`${params['found']}.message`,
      params: ({ params }) => _`{keyword: ${params['found']}.keyword, ...${params['found']}.params}`,
    },
    code(cxt) {
      const { gen, data, it } = cxt;
      const judge = code(gen, compileExact(cxt.schema as ExactRule));
      const found = gen.const('found', _`${judge}(${data}, ${it.parentData}, ${it.parentDataProperty})`);
      cxt.setParams({ found });
      cxt.fail(_`${found} !== undefined`);
    },
  };
}

/** The keyword `bare`: a schema whose result matters, but not its errors. */
export const bare: CodeKeywordDefinition = {
  keyword: 'bare',
  code(cxt) {
    const valid = cxt.gen.name('valid');
    cxt.subschema({ keyword: 'bare', createErrors: false, allErrors: false }, valid);
    cxt.ok(valid);
  },
};
