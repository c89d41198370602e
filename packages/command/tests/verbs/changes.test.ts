import { parse } from 'yaml';
import { changeLine, compareDocuments } from '../../src/breaking/changes';
import { buildDocument } from '../../../../scripts/testing/service';

/**
 * A change of an operation and the reported lines. `!` marks a breaking change. `{}` is a schema that admits any value.
 */
const TABLE = `
another operationId is reported
  - operationId: a
  - operationId: b
  - "/operationId: was a, is b"
a new required parameter breaks
  - {}
  - parameters: [{name: a, in: query, schema: {}, required: true}]
  - "! : the query parameter a is new and required"
a new optional parameter does not
  - {}
  - parameters: [{name: a, in: query, schema: {}}]
  - ": the query parameter a is new"
a parameter that is required now breaks
  - parameters: [{name: a, in: query, schema: {}}]
  - parameters: [{name: a, in: query, schema: {}, required: true}]
  - "! : the query parameter a is required now"
a parameter that is optional now does not
  - parameters: [{name: a, in: query, schema: {}, required: true}]
  - parameters: [{name: a, in: query, schema: {}}]
  - ": the query parameter a is no longer required"
a parameter of the query that is gone breaks
  - parameters: [{name: a, in: query, schema: {}}]
  - {}
  - "! : the query parameter a is gone"
a header that is gone does not
  - parameters: [{name: a, in: header, schema: {}}]
  - {}
  - ": the header parameter a is gone"
the case of a header is nothing
  - parameters: [{name: X-a, in: header, schema: {}}]
  - parameters: [{name: x-A, in: header, schema: {}}]
another style breaks
  - parameters: [{name: a, in: query, schema: {}}]
  - parameters: [{name: a, in: query, schema: {}, explode: false}]
  - "! : the query parameter a was form, exploded, is form"
a tighter bound of a parameter breaks
  - parameters: [{name: a, in: query, schema: {maximum: 9}}]
  - parameters: [{name: a, in: query, schema: {maximum: 5}}]
  - "! /parameters/0/schema/maximum: in requests: maximum was 9, is 5"
a smaller limit of a body breaks
  - x-body-limit: 20
  - x-body-limit: 10
  - "! /x-body-limit: x-body-limit was 20, is 10"
a larger limit of a body does not
  - x-body-limit: 10
  - x-body-limit: 20
  - "/x-body-limit: x-body-limit was 10, is 20"
a limit of a body where the service had its own does not
  - {}
  - x-body-limit: 10
  - "/x-body-limit: x-body-limit is new: 10"
a limit of a body that is gone breaks
  - x-body-limit: 10
  - {}
  - "! /x-body-limit: x-body-limit was 10, is gone"
a media type of a part that is gone breaks
  - requestBody: {content: {multipart/form-data: {encoding: {a: {contentType: 'image/png, image/gif'}}}}}
  - requestBody: {content: {multipart/form-data: {encoding: {a: {contentType: image/png}}}}}
  - "! /requestBody/content/multipart~1form-data/encoding/a: its contentType has image/gif no longer"
a range of media types of a part in the place of one does not
  - requestBody: {content: {multipart/form-data: {encoding: {a: {contentType: image/png}}}}}
  - requestBody: {content: {multipart/form-data: {encoding: {a: {contentType: 'image/*'}}}}}
  - "/requestBody/content/multipart~1form-data/encoding/a: its contentType has image/* now"
an item of a response that may be more breaks
  - responses: {200: {content: {application/jsonl: {x-item-schema: {maximum: 5}}}}}
  - responses: {200: {content: {application/jsonl: {x-item-schema: {maximum: 9}}}}}
  - "! /responses/200/content/application~1jsonl/x-item-schema/maximum: in responses: maximum was 5, is 9"
an item of a request that may be more does not
  - requestBody: {content: {application/jsonl: {x-item-schema: {maximum: 5}}}}
  - requestBody: {content: {application/jsonl: {x-item-schema: {maximum: 9}}}}
  - "/requestBody/content/application~1jsonl/x-item-schema/maximum: in requests: maximum was 5, is 9"
the value in an event is compared
  - responses: {200: {content: {text/event-stream: {x-item-schema: {properties: {data: {contentMediaType: application/json, contentSchema: {maximum: 5}}}}}}}}
  - responses: {200: {content: {text/event-stream: {x-item-schema: {properties: {data: {contentMediaType: application/json, contentSchema: {maximum: 9}}}}}}}}
  - "! /responses/200/content/text~1event-stream/x-item-schema/properties/data/contentSchema/maximum: in responses: maximum was 5, is 9"
text in JSON that contains a value is not
  - responses: {200: {content: {application/jsonl: {x-item-schema: {properties: {data: {contentMediaType: application/json, contentSchema: {maximum: 5}}}}}}}}
  - responses: {200: {content: {application/jsonl: {x-item-schema: {properties: {data: {contentMediaType: application/json, contentSchema: {maximum: 9}}}}}}}}
  - '/responses/200/content/application~1jsonl/x-item-schema/properties/data/contentSchema: in responses: contentSchema was {"maximum":5}, is {"maximum":9}'
text in the place of the value in an event breaks
  - responses: {200: {content: {text/event-stream: {x-item-schema: {properties: {data: {contentMediaType: application/json, contentSchema: {type: object}}}}}}}}
  - responses: {200: {content: {text/event-stream: {x-item-schema: {properties: {data: {type: string}}}}}}}
  - "! /responses/200/content/text~1event-stream/x-item-schema/properties/data/type: in responses: type was object, is string"
a new required body breaks
  - {}
  - requestBody: {required: true, content: {application/json: {}}}
  - "! /requestBody: a request body is required now"
a new optional body does not
  - {}
  - requestBody: {content: {application/json: {}}}
  - "/requestBody: a request body is admitted now"
a body that is required now breaks
  - requestBody: {content: {application/json: {}}}
  - requestBody: {required: true, content: {application/json: {}}}
  - "! /requestBody: the body is required now"
a body that is optional now does not
  - requestBody: {required: true, content: {application/json: {}}}
  - requestBody: {content: {application/json: {}}}
  - "/requestBody: the body is no longer required"
a body that is gone breaks
  - requestBody: {content: {application/json: {}}}
  - {}
  - "! /requestBody: the request body is gone"
another media type breaks
  - requestBody: {content: {application/json: {}}}
  - requestBody: {content: {text/plain: {}}}
  - "! /requestBody/content/application~1json: the media type application/json is gone"
  - "/requestBody/content/text~1plain: the media type text/plain is new"
a status that is gone breaks
  - responses: {200: {description: a}, 204: {description: a}}
  - responses: {204: {description: a}}
  - "! /responses/200: the status 200 is gone"
a status that is new does not
  - responses: {204: {description: a}}
  - responses: {204: {description: a}, 409: {description: a}}
  - "/responses/409: the status 409 is new"
a status that a range covers now is not gone
  - responses: {404: {description: a}}
  - responses: {4XX: {description: a}}
  - "/responses/4XX: the status 4XX is new"
a status that default covered keeps its shape
  - responses: {default: {description: a, content: {application/json: {schema: {properties: {b: {}}}}}}}
  - responses: {default: {description: a, content: {application/json: {schema: {properties: {b: {}}}}}}, 404: {description: a, content: {application/json: {schema: {}}}}}
  - "! /responses/default/content/application~1json/schema/properties/b: in responses: the property b is gone"
  - "/responses/404: the status 404 is new"
a header of a response that is gone breaks
  - responses: {204: {description: a, headers: {ETag: {schema: {}}}}}
  - responses: {204: {description: a}}
  - "! /responses/204: the header ETag is gone"
a header of a response that may be absent now breaks
  - responses: {204: {description: a, headers: {ETag: {required: true, schema: {}}}}}
  - responses: {204: {description: a, headers: {ETag: {schema: {}}}}}
  - "! /responses/204: the header ETag is no longer required"
credentials where none were needed break
  - {}
  - security: [{bearer: []}]
  - "! /security: POST /things: requests without credentials are refused now"
none where some were needed do not
  - security: [{bearer: []}]
  - security: []
  - "/security: POST /things: requests without credentials are admitted now"
an alternative that is gone breaks
  - security: [{bearer: []}, {key: []}]
  - security: [{bearer: []}]
  - "! /security: POST /things: requests with the API key X-Key in the header alone are refused now"
an alternative that is new does not
  - security: [{bearer: []}]
  - security: [{bearer: []}, {key: []}]
  - "/security: POST /things: requests with the API key X-Key in the header alone are admitted now"
a further scheme beside it breaks
  - security: [{bearer: []}]
  - security: [{bearer: [], key: []}]
  - "! /security: POST /things: requests with HTTP bearer credentials alone are refused now"
a further scope breaks
  - security: [{login: []}]
  - security: [{login: [write]}]
  - "! /security: POST /things: requests with oauth2 credentials (login) alone are refused now"
another name for the same scheme is nothing
  - security: [{bearer: []}]
  - security: [{token: []}]
`;

const components = {
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer' },
    token: { type: 'http', scheme: 'Bearer' },
    key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    login: { type: 'oauth2', flows: {} },
  },
};

const ROWS = TABLE.trim()
  .split(/\n(?! )/)
  .map((entry) => {
    const [title = '', ...lines] = entry.split('\n');
    const [was = {}, is = {}, ...want] = parse(lines.join('\n')) as [object?, object?, ...string[]];
    return { title, was, is, want };
  });

const POST = '#/paths/~1things/post';

function linesOf(was: object, is: object): string[] {
  const lines = compareDocuments(buildDocument({ ...was }), buildDocument({ ...is })).map(changeLine);
  return lines.map((line) => line.replace('breaking  ', '! ').trim());
}

it.each(ROWS)('$title', ({ was, is, want }) => {
  const build = (operation: object) => ({ operation, components });
  expect(linesOf(build(was), build(is))).toEqual(want.map((line) => line.replace(/^(! )?/, `$1${POST}`)));
});

it.each([
  ['a removed operation breaks', ['/a'], [], ['! #/paths/~1a/get: GET /a (get) is gone']],
  ['a new operation does not break', [], ['/a'], ['#/paths/~1a/get: GET /a (get) is new']],
  ['another name of a path parameter is no change', ['/a/{id}'], ['/a/{key}'], []],
])('%s', (_, was, is, want) => {
  const build = (paths: string[]) => ({ paths: Object.fromEntries(paths.map((path) => [path, item(path)])) });
  expect(linesOf(build(was), build(is))).toEqual(want);
});

it('another base path breaks', () => {
  const build = (url: string) => ({ paths: { '/a': item('/a') }, servers: [{ url }] });
  expect(linesOf(build('/v1'), build('https://example.com/v2/'))).toEqual([
    '! #/paths/~1a/get: GET /v1/a (get) is gone',
    '#/paths/~1a/get: GET /v2/a (get) is new',
    '#/servers: servers differs',
  ]);
});

function item(path: string): object {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const parameters = names.map((name) => ({ name, in: 'path', required: true, schema: {} }));
  return { get: { operationId: 'get', parameters, responses: { 204: { description: '' } } } };
}

describe('an operation that is gone', () => {
  const gone = (operation: object, today: string) =>
    compareDocuments(buildDocument({ operation }), buildDocument({ paths: {} }), Date.parse(today)).map(
      changeLine,
    );
  const before = '2027-01-30T23:59:59Z';
  const after = '2027-01-31T00:00:00Z';

  it.each([
    ['before its sunset', { deprecated: true, 'x-sunset': '2027-01-31' }, before],
    ['without a sunset', { deprecated: true }, after],
    ['that was never deprecated', { 'x-sunset': '2027-01-31' }, after],
  ])('%s breaks its clients', (_, operation, today) => {
    expect(gone(operation, today)).toEqual([
      expect.stringMatching(/^breaking .*: POST \/things \(\w+\) is gone$/),
    ]);
  });

  it('from its sunset on does not', () => {
    expect(gone({ deprecated: true, 'x-sunset': '2027-01-31' }, after)).toEqual([
      expect.stringMatching(/^ .*: POST \/things \(\w+\) is gone after its sunset 2027-01-31$/),
    ]);
  });
});
