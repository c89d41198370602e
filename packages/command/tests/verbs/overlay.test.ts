import { overlay } from '../../src/document/publish/overlay';
import { PUBLISHED, workOn } from '../../src/paths';
import type { JsonObject } from 'contract-first-server';
import { useFolder } from '../../../../scripts/testing/folder';

// What `make generate` says about the targets of the overlay after a change of the document.

const folder = useFolder();
const start = process.cwd();
afterEach(() => {
  workOn(start);
});

const operation = (operationId: string, more: object = {}) => ({ operationId, responses: {}, ...more });
const parameter = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });
const BEFORE = {
  paths: {
    '/articles': {
      get: operation('listArticles', { parameters: [{ name: 'tag', in: 'query' }] }),
      post: operation('createArticle'),
    },
    '/articles/{slug}': {
      parameters: [parameter('slug')],
      get: operation('getArticle'),
      delete: operation('deleteArticle', { 'x-quiet': true }),
    },
    '/articles/{slug}/likes': {
      parameters: [parameter('slug')],
      additionalOperations: { LIKE: operation('like') },
    },
    '/tags': { get: operation('getTags', { tags: ['a'] }) },
  },
  components: {
    schemas: {
      Article: { type: 'object', properties: { slug: { type: 'string' } } },
      Tag: { type: 'string' },
    },
    securitySchemes: { Token: { type: 'apiKey', in: 'header', name: 'Authorization' } },
  },
  tags: [],
};
/** The path parameter, a path, an operationId and two components have other names; an operation and an extension are gone. */
const AFTER: JsonObject = JSON.parse(
  JSON.stringify({
    ...BEFORE,
    paths: { ...BEFORE.paths, '/tags': undefined, '/labels': BEFORE.paths['/tags'] },
  })
    .replaceAll('{slug}', '{articleSlug}')
    .replaceAll('"like"', '"likeArticle"')
    .replace('"Article"', '"ArticleView"')
    .replace('"Token"', '"ApiKey"')
    .replace(',"post":{"operationId":"createArticle","responses":{}}', '')
    .replace(',"x-quiet":true', ''),
) as JsonObject;

async function saidOf(actions: string): Promise<string[]> {
  folder.write({ 'openapi/overlay.yaml': `overlay: 1.0.0\n${actions}`, [PUBLISHED]: JSON.stringify(BEFORE) });
  workOn(folder.path('.'));
  try {
    return [...(await overlay(AFTER)).remarks];
  } catch (error) {
    return ['refused', ...(error as Error).message.split('\n')];
  }
}
const updating = (target: string) =>
  `actions:\n  - target: ${JSON.stringify(target)}\n    update: { x-seen: true }\n`;
const AT = 'openapi/overlay.yaml#/actions/0: ';
const write = (target: string) => `write \`target: ${JSON.stringify(target)}\``;

/** Targets that match nothing, and what is said about them. */
const renamed = (target: string) => `, because a name has changed: ${write(target)}`;
const WHOLE: readonly (readonly [target: string, said: string])[] = [
  ["$.paths['/articles/{slug}'].get", renamed("$.paths['/articles/{articleSlug}'].get")],
  [
    '$["paths"]["/articles/{slug}"]["parameters"][0]',
    renamed(`$["paths"]['/articles/{articleSlug}']["parameters"][0]`),
  ],
  ["$.paths['/tags'].*", renamed("$.paths['/labels'].*")],
  ["$..[?(@.operationId == 'like')]", renamed("$..[?(@.operationId == 'likeArticle')]")],
  ['$.components.schemas.Article.properties', renamed('$.components.schemas.ArticleView.properties')],
  ['$.components.securitySchemes.Token', renamed('$.components.securitySchemes.ApiKey')],
  ["$.paths['/articles'].post", ': delete the action'],
  ["$.paths['/none'].get", ': delete the action'],
  ['$.tags[*]', ': delete the action'],
];

const without = (target: string) => `: remove it, as in \`target: ${JSON.stringify(target)}\``;
/** Targets of which a part matches nothing, the parts, and what is said about the first one. A name is an error, an alternative a remark. */
const PARTS: readonly (readonly [target: string, parts: readonly string[], said?: string])[] = [
  [
    "$.paths['/articles','/articles/{slug}'].get",
    ['"/articles/{slug}"'],
    renamed("$.paths['/articles','/articles/{articleSlug}'].get"),
  ],
  [
    "$.paths['/articles', '/gone', '/labels'].get",
    ['"/gone"'],
    without("$.paths['/articles', '/labels'].get"),
  ],
  [
    "$.paths['/articles']['get','post'].responses",
    ['"post"'],
    without("$.paths['/articles']['get'].responses"),
  ],
  ["$.paths['/articles'].get.parameters[0,1]", ['1'], without("$.paths['/articles'].get.parameters[0]")],
  [
    "$.paths['/articles','/labels'].get.parameters[*]",
    ['"/labels"'],
    without("$.paths['/articles'].get.parameters[*]"),
  ],
  [
    "$..[?(@.operationId == 'getArticle' || @.operationId == 'like')]",
    ["@.operationId == 'like'"],
    renamed("$..[?(@.operationId == 'getArticle' || @.operationId == 'likeArticle')]"),
  ],
  ["$.paths.*[?@.operationId=='getArticle' || @['x-quiet']]", ["@['x-quiet']"], ': remove it, as in'],
  [
    "$.paths.*[?(@.responses && (@.operationId == 'a' || @.operationId == 'getArticle' || @.operationId == 'b'))]",
    ["@.operationId == 'a'", "@.operationId == 'b'"],
  ],
  ["$.paths.*.parameters[?(@.name == 'slug' && @.in == 'path' || @.name == 'key')]", ["@.name == 'key'"]],
  // Nothing is said about what excludes, about what any document may have, and about what matches.
  ["$.paths.*[?(@.responses && !(@.operationId == 'gone' || @.operationId == 'like'))]", []],
  ["$.paths.*[?(@.responses && (@.responses['200'].content || @.operationId))]", []],
  [
    '$.paths.*[?(@.responses && (@.security[0] || $.security[0] && !@.security || @.operationId))].responses',
    [],
  ],
  ["$.paths['/articles','/labels'].get", []],
  ["$.paths[?@['get']]", []],
  ['$.components', []],
];

it.each(WHOLE)('%s matches nothing', async (target, expected) => {
  expect(await saidOf(updating(target))).toEqual(['refused', `${AT}${target} matches nothing${expected}`]);
});

it.each(PARTS.map(([target, parts, said = '']) => [target, parts, said] as const))(
  'what of %s matches nothing',
  async (target, parts, said) => {
    const isRefused = parts.some((part) => !part.startsWith('@'));
    const lines = await saidOf(updating(target));
    expect(lines.splice(0, isRefused ? 1 : 0)).toEqual(isRefused ? ['refused'] : []);
    expect(lines.length).toBe(parts.length);
    for (const [i, part] of parts.entries())
      expect(lines[i]).toContain(`${AT}${part} in ${target} matches nothing${i === 0 ? said : ''}`);
  },
);

it.each([
  [
    'a target that is no path',
    "actions: [{ target: '$.paths[', update: {} }]",
    /\/actions\/0\/target: expected a JSONPath \(RFC 9535\) such as .*, got \$\.paths\[, which is invalid from character 9 on$/,
  ],
  [
    'a target without $',
    'actions: [{ target: paths, update: {} }]',
    /\/actions\/0\/target: expected a JSONPath/,
  ],
  [
    'a misspelled key',
    "actions: [{ target: '$', udpate: {} }]",
    /\/actions\/0: expected only target, description, update, remove and x-\.\.\., got udpate$/,
  ],
  [
    'nothing to do',
    "actions: [{ target: '$.components' }]",
    /\/actions\/0: expected update or remove: true for \$\.components$/,
  ],
  [
    'remove as a text',
    "actions: [{ target: '$.components', remove: 'yes' }]",
    /\/actions\/0\/remove: expected true, got "yes"$/,
  ],
  ['an action that is a text', 'actions: [x]', /\/actions\/0: expected an action with a target, got "x"$/],
  ['a misspelled list', 'action: []', /overlay\.yaml: expected a list of actions/],
  [
    'another key',
    'actions: []\nextend: x',
    /overlay\.yaml: expected only overlay, info, extends, actions and x-\.\.\., got extend$/,
  ],
])('refuses %s, with one sentence of its own', async (_, text, expected) => {
  const log = jest.spyOn(console, 'error').mockImplementation();
  const lines = await saidOf(`${text}\n`);
  expect([lines[0], lines[1]]).toEqual(['refused', expect.stringMatching(expected)]);
  expect(log).not.toHaveBeenCalled();
  log.mockRestore();
});

test('the overlay may replace an operationId that several operations have, and no other', async () => {
  const renamed = (path: string) =>
    `actions:\n  - target: $.paths['${path}'].get\n    update:\n      operationId: other\n`;
  const document = {
    paths: {
      '/cats': { get: operation('findAll') },
      '/dogs': { get: operation('findAll') },
      '/': { get: operation('home') },
    },
  };
  const overlaid = async (path: string) => {
    folder.write({ 'openapi/overlay.yaml': `overlay: 1.0.0\n${renamed(path)}` });
    workOn(folder.path('.'));
    return (await overlay(document)).document;
  };
  expect(await overlaid('/dogs')).toMatchObject({
    paths: { '/cats': { get: { operationId: 'findAll' } }, '/dogs': { get: { operationId: 'other' } } },
  });
  await expect(overlaid('/')).rejects.toThrow('the document has "home", the overlay has "other"');
});
