import { join } from 'node:path';
import ts from 'typescript';
import { explain } from '../../../scripts/compiler/explain';
import { compileTexts, typesOf } from '../../support/compile';
import { buildDocument, json } from '../../support/service';

// A correct handler in each form, with one fault put into it. A headline must be about that fault.

const article = {
  type: 'object',
  required: ['slug', 'title', 'author'],
  properties: {
    slug: { type: 'string' },
    title: { type: 'string' },
    author: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  },
};
const error = { type: 'object', required: ['message'], properties: { message: { type: 'string' } } };
const DOCUMENT = buildDocument({
  security: [{ bearer: [] }],
  components: {
    schemas: { Article: article, Failure: error },
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
  },
  paths: {
    '/articles/{slug}': {
      put: {
        operationId: 'putArticle',
        parameters: [
          { in: 'path', name: 'slug', required: true, schema: { type: 'string' } },
          { in: 'query', name: 'limit', schema: { type: 'integer' } },
        ],
        requestBody: { required: true, content: json({ $ref: '#/components/schemas/Article' }) },
        responses: {
          200: { description: '', content: json({ $ref: '#/components/schemas/Article' }) },
          404: { description: '', content: json({ $ref: '#/components/schemas/Failure' }) },
        },
      },
    },
  },
});

const FOLDER = join(__dirname, '../contract');
const TYPES = `
  import type { Handlers as HandlersOf } from '../../../src/contract/handler-types';
  import type { components, operations, security } from './openapi';
  interface Principals { readonly bearer: { readonly id: string } }
  export type Handlers = HandlersOf<operations, security, Principals>;
  type Article = components['schemas']['Article'];
  export interface Store {
    get(slug: string, limit?: number): Promise<Article | undefined>;
    put(slug: string, article: Article): Promise<Article>;
  }
  export interface Dependencies { readonly store: Store }
  export type CreateHandler<Id extends keyof Handlers> = (dependencies: Dependencies) => Handlers[Id];
  export const errorBody = (message: string) => ({ message });`;

/** The forms in which people write a handler. Each has the same parts, so that each fault fits into each. */
const BODY = `{
    const article = await store.get(slug, query.limit);
    if (!article) return { status: 404, body: errorBody('there is none') };
    const title: string = article.title;
    return { status: 200, body: await store.put(slug, { ...article, ...body, title, author: { name: principal.bearer.id } }) };
  }`;
const HEAD = `import { type CreateHandler, errorBody } from './handlers';\n`;
const REQUEST = '{ path: { slug }, query, body, principal }';
const FORMS: Readonly<Record<string, string>> = {
  'a factory': `${HEAD}export const putArticle: CreateHandler<'putArticle'> =
  ({ store }) =>
  async (${REQUEST}) => ${BODY};\n`,
  'a factory with a block': `${HEAD}export const putArticle: CreateHandler<'putArticle'> = ({ store }) => {
  return async (${REQUEST}) => ${BODY};
};\n`,
  'a function expression': `${HEAD}export const putArticle: CreateHandler<'putArticle'> = ({ store }) =>
  async function (${REQUEST}) ${BODY};\n`,
};

/** A fault: what is replaced by what, and what the first line says. Only faults of an answer are said to be of one. */
type Fault = readonly [name: string, was: string | RegExp, is: string, said: RegExp];
const FAULTS: readonly Fault[] = [
  [
    'no await before a value',
    'await store.get',
    'store.get',
    /^putArticle: title is taken of a promise: write await/,
  ],
  [
    'no await in an answer',
    'await store.put',
    'store.put',
    /^putArticle with the status 200: body: expected a value, got a promise of it: write await/,
  ],
  ['no async', 'async ', '', /^putArticle returns its answer without a promise: write async/],
  [
    'no async and no await',
    /async |await /g,
    '',
    /^putArticle returns its answer without a promise: write async/,
  ],
  [
    'another status',
    'status: 200',
    'status: 201',
    /^putArticle returns the status 201, which the document does not have/,
  ],
  [
    'a status of type number',
    'status: 200',
    'status: Number(200)',
    /^putArticle returns a status of the type number/,
  ],
  ['a body without a property', ', author: { name', ', authr: { name', /^putArticle.*'authr'/],
  [
    'a status as a text',
    'status: 200',
    "status: '200'",
    /^putArticle returns a status of the type string: expected 200 or 404/,
  ],
  [
    'an answer without a body',
    /status: 200, body: .*\}\) \}/,
    'status: 200 }',
    /^putArticle with the status 200: body is missing/,
  ],
  [
    'a null answer',
    /return \{ status: 404.*? \};/,
    'return null;',
    /^putArticle returns null: expected a response with a status/,
  ],
  [
    'an undocumented header of the answer',
    'status: 200,',
    "status: 200, headers: { 'X-A': 1 },",
    /^putArticle with the status 200: headers: /,
  ],
  [
    'a parameter in brackets',
    'query.limit',
    "query['x-limit']",
    /^putArticle: the document has no query parameter x-limit: expected limit/,
  ],
  [
    'a parameter in a block',
    'const title: string = article.title;',
    'const { size } = query; const title = `${article.title}${size}`;',
    /^putArticle: the document has no query parameter size: expected limit/,
  ],
  ['a bracket too much', 'const title', '} const title', /^(Declaration or statement|'[,;]') expected\.$/],
  [
    'another property in a part of the body',
    '{ name: principal',
    '{ nam: principal',
    /^putArticle: .*'nam' does not exist/,
  ],
  [
    'an unknown path parameter',
    '{ slug }',
    '{ key: slug }',
    /^putArticle: the document has no path parameter key: expected slug/,
  ],
  [
    'its short form',
    '{ slug }',
    '{ id }',
    /^putArticle: the document has no path parameter id: expected slug/,
  ],
  [
    'an unknown query parameter',
    'query.limit',
    'query.limitt',
    /^putArticle: the document has no query parameter limitt: expected limit/,
  ],
  ['an unknown part of the request', '{ path:', '{ paths:', /^putArticle: Property 'paths' does not exist/],
  ['a missing bracket', "('there is none')", "('there is none'", /^',' expected\.$/],
  ['a missing brace', '404, body:', '404, body {', /^',' expected\.$/],
  ['a missing quote', "none'", 'none', /^Unterminated string literal\.$/],
  ['a word too much', 'const title', 'const const title', /^'const' is not allowed/],
  ['a wrong import', "'./handlers'", "'./handler'", /^Cannot find module '\.\/handler'/],
  ['a wrong name in an import', 'errorBody }', 'errorBodi }', /no exported member named 'errorBodi'/],
  ['a name that does not exist', 'errorBody(', 'errorBdy(', /^putArticle: Cannot find name 'errorBdy'/],
  [
    'a type error elsewhere',
    'title: string =',
    'title: number =',
    /^putArticle: Type 'string' is not assignable to type 'number'/,
  ],
  [
    'a store without the method',
    'store.get',
    'store.find',
    /^putArticle: Property 'find' does not exist on type 'Store'/,
  ],
  [
    'an unknown dependency',
    '{ store }',
    '{ stores: store }',
    /^putArticle: Property 'stores' does not exist/,
  ],
  ['a wrong argument', 'store.get(slug', 'store.get(1', /^putArticle: Argument of type 'number'/],
  ['no check of a value', /if \(!article\).*/g, '', /^putArticle: 'article' is possibly 'undefined'/],
  [
    'a path without an answer',
    'return { status: 200, body: await',
    'if (title) return { status: 200, body: await',
    /^putArticle/,
  ],
  [
    'another operationId',
    "<'putArticle'>",
    "<'setArticle'>",
    /^setArticle is not an operation of the document/,
  ],
  [
    'another principal',
    'principal.bearer',
    'principal.token',
    /^putArticle: Property 'token' does not exist/,
  ],
];
/** Of the forms with a function of the dependencies as an expression. */
const WITHOUT_FACTORY = FORMS['a factory']?.replace('({ store }) =>\n', '') ?? '';
/** The faults of answers, and what is only said about them. */
const OF_ANSWERS = /answer|^no async|status|^a body without/;
const ABOUT_ANSWER = /returns|with the status/;

const forms = Object.entries(FORMS);
const cases = forms.flatMap(([form, text]) =>
  FAULTS.map(([name, was, is, said]) => {
    const source = text.replace(was, () => is);
    if (source === text) throw new Error(`${name}: expected ${String(was)} in ${form}`);
    return { title: `${name}, in ${form}`, name, source, said };
  }),
);
const { program, diagnosticsOf } = compileTexts(FOLDER, {
  'openapi.d.ts': typesOf(DOCUMENT),
  'handlers.ts': TYPES,
  ...Object.fromEntries(cases.map(({ source }, i) => [`fault-${i}.ts`, source])),
  ...Object.fromEntries(forms.map(([, source], i) => [`form-${i}.ts`, source])),
  'without.ts': WITHOUT_FACTORY,
});
const saidOf = (file: string): string[] =>
  explain(program, diagnosticsOf(file)).map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, '\n'),
  );

test.each(forms.map(([form], i) => [form, i] as const))('%s has no error', (_, i) => {
  expect(saidOf(`form-${i}.ts`)).toEqual([]);
});

test.each(cases.map((one, i) => [one.title, one, i] as const))(
  '%s: the headline is about it',
  (_, { name, said }, i) => {
    const messages = saidOf(`fault-${i}.ts`);
    const lines = messages.flatMap((message) => message.split('\n'));
    expect(lines[0]).toMatch(said);
    expect(lines.length).toBeLessThanOrEqual(6);
    if (!OF_ANSWERS.test(name)) expect(messages.filter((message) => ABOUT_ANSWER.test(message))).toEqual([]);
  },
);

test('a handler that is not created from the dependencies: the headline is about it', () => {
  expect(saidOf('without.ts')[0]).toMatch(
    /^putArticle is to be a function of the dependencies that returns the handler: write \(dependencies\) => before it/,
  );
});
