/** What the script of the page is told about the contract. */
interface Told {
  /** The URLs of the requests for tokens. */
  readonly issuers: readonly string[];
  /** The methods that a page can send, as the document and as requests name them. */
  readonly methods: readonly string[];
}

/**
 * The script of the documentation page. Sends each request to the server of this page, not to the servers that the document
 * names; those for tokens go to their issuer. Scripts cannot set the header Cookie: an API key in a cookie is a cookie for
 * the time of a request.
 *
 * Swagger UI waits for the end of an answer, does not send a parameter in `querystring`, and does not show schemas of items.
 * The plugin adds these: an answer of a documented media type of items, or of events, is shown item by item, with a button
 * that stops it.
 */
export const docsScript = ({ issuers, methods }: Told): string =>
  `const issuers = ${JSON.stringify(issuers)};\nconst methods = ${JSON.stringify(methods)};\n${SCRIPT}`;

const SCRIPT = String.raw`
const FORM = 'application/x-www-form-urlencoded';
const EVENTS = 'text/event-stream';
/** The characters of a stream that are shown: the last ones. */
const MOST = 100_000;
/** The media types of streams. */
const streamed = new Set([EVENTS]);
/** The last stream of each operation. */
const streams = new Map();
/** Why a stream was stopped whose answer is not shown. */
const DROPPED = new Error('dropped');

const essence = (type) => (type ?? '').split(';')[0].trim().toLowerCase();

/** Shows what Swagger UI does not know: lists as the schemas of streams, shared media types, and what cannot be sent. */
function prepare(node, mediaTypes) {
  for (const [type, given] of Object.entries(node.content ?? {})) {
    let media = given;
    while (media?.$ref?.includes('/components/mediaTypes/')) media = mediaTypes[media.$ref.split('/').pop()];
    const items = media?.itemSchema ?? media?.['x-item-schema'];
    if (items) streamed.add(essence(type));
    node.content[type] = items ? { ...media, schema: { type: 'array', items } } : media;
  }
  if (node.trace?.responses)
    node.trace.description = 'A browser cannot send TRACE. ' + (node.trace.description ?? '');
  for (const value of Object.values(node)) if (value && typeof value === 'object') prepare(value, mediaTypes);
}

/** Keeps the digits of numbers, where the browser can. */
const exact = (key, value, context) =>
  typeof value === 'number' && JSON.rawJSON ? JSON.rawJSON(context.source) : value;

const exactJson = (text) => JSON.stringify(JSON.parse(text, exact), null, 2);

/** Writes a list of items as the text of a stream. */
function textOf(items, type) {
  const fieldOf = ([name, value]) => name + ': ' + (typeof value === 'string' ? value : JSON.stringify(value)) + '\n';
  const write = (item) =>
    type === EVENTS
      ? Object.entries(item).map(fieldOf).join('') + '\n'
      : (type.endsWith('json-seq') ? '\x1e' : '') + JSON.stringify(item) + '\n';
  return items.map(write).join('');
}

/** Writes the value of a parameter in querystring (OpenAPI 3.2 section 4.12.2.3). */
function queryOf(text, [[type, { encoding = {} }]]) {
  if (essence(type) !== FORM) return encodeURIComponent(text);
  const write = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
  const fields = Object.entries(JSON.parse(text, exact)).flatMap(([name, value]) => {
    const { style, explode = (style ?? 'form') === 'form' } = encoding[name] ?? {};
    const separator = { spaceDelimited: ' ', pipeDelimited: '|' }[style] ?? ',';
    const values = Array.isArray(value) ? value.map(write) : [write(value)];
    return explode ? values.map((one) => [name, one]) : [[name, values.join(separator)]];
  });
  return new URLSearchParams(fields).toString();
}

/** Sends a list in a form as one field for each value (OpenAPI 3.1 section 4.8.15.1.1); Swagger UI would join the values. */
function repeatLists({ spec, pathName, method, requestContentType, requestBody }) {
  const item = spec.paths[pathName];
  const media = (item[method] ?? item.additionalOperations?.[method])?.requestBody?.content?.[requestContentType];
  if (!media || typeof requestBody !== 'object') return;
  for (const [name, value] of Object.entries(requestBody ?? {})) {
    if (!Array.isArray(value) || value.some((one) => typeof one === 'object')) continue;
    media.encoding = { ...media.encoding, [name]: { style: 'form', explode: true, ...media.encoding?.[name] } };
  }
}

/** Sends a request. Shows the items of a stream as they come, and returns its text at the end. */
async function receive(url, request, stream, show) {
  const answer = await fetch(url, { ...request, signal: stream.controller.signal });
  const type = essence(answer.headers.get('content-type'));
  if (!answer.ok || !answer.body || !streamed.has(type)) return answer;
  const separator = type === EVENTS ? /\r\n\r\n|\n\n|\r\r/ : '\n';
  const decoder = new TextDecoder();
  const reader = answer.body.getReader();
  let count = 0;
  let text = '';
  let rest = '';
  let end = 'the stream has ended';
  let timer;
  const tell = (state) => (stream.state = count + (count === 1 ? ' item' : ' items') + state);
  const showSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      show({ ok: true, status: answer.status, headers: Object.fromEntries(answer.headers), url, text });
    }, 100);
  };
  const add = (items) => {
    const full = items.map((item) => item.replaceAll('\x1e', '')).filter((item) => item.replace(/^:.*$/gm, '').trim() !== '');
    count += full.length;
    text = (text + full.map((item) => item + (type === EVENTS ? '\n\n' : '\n')).join('')).slice(-MOST);
  };
  try {
    stream.isOpen = true;
    for (let piece; !(piece = await reader.read()).done; showSoon()) {
      const items = (rest + decoder.decode(piece.value, { stream: true })).split(separator);
      rest = items.pop();
      add(items);
      tell(' so far');
    }
  } catch {
    end = stream.controller.signal.aborted ? 'stopped' : 'then the connection broke off';
  }
  clearTimeout(timer);
  add([rest]);
  tell('; ' + end);
  stream.isOpen = false;
  return new Response(text, { status: answer.status, headers: answer.headers });
}

function setCookies(maxAge) {
  const authorized = Object.values(ui.authSelectors.authorized()?.toJS() ?? {});
  const keys = authorized.filter(({ schema }) => schema.type === 'apiKey' && schema.in === 'cookie');
  for (const { schema, value } of keys)
    document.cookie = schema.name + '=' + value + '; Path=/; SameSite=Strict; Max-Age=' + maxAge;
  return keys.length > 0;
}

const keyOf = (path, method) => method + ' ' + path;

const plugin = {
  afterLoad() {
    const { execute, getSampleSchema } = this.fn;
    this.fn.execute = async (asked) => {
      const { pathName, method, parameters, operation } = asked;
      const controller = new AbortController();
      const key = keyOf(pathName, method);
      streams.get(key)?.controller.abort(DROPPED);
      repeatLists(asked);
      const stream = { controller, state: '', isOpen: false };
      streams.set(key, stream);
      const show = (response) => ui.specActions.setResponse(pathName, method, response);
      const query = operation.get('parameters')?.toJS().find((one) => one.in === 'querystring');
      const text = query && parameters['querystring.' + query.name];
      const addQuery = (request) => {
        if (text) request.url += (request.url.includes('?') ? '&' : '?') + queryOf(text, Object.entries(query.content));
        return asked.requestInterceptor(request);
      };
      try {
        return await execute({
          ...asked,
          requestInterceptor: addQuery,
          userFetch: (url, request) => receive(url, request, stream, show),
        });
      } finally {
        if (controller.signal.reason === DROPPED) await new Promise(() => {});
      }
    };
    const { isFileUploadIntended } = this.fn;
    this.fn.getSampleSchema = (schema, type, config, example) => {
      // A list of files begins empty: Swagger UI would send a text as the first.
      if (!type && schema?.get?.('items') && isFileUploadIntended(schema.get('items'))) return '[]';
      const sample = () => getSampleSchema(schema, 'application/json', config, example);
      if (!streamed.has(essence(type || ''))) return getSampleSchema(schema, type, config, example);
      return typeof example === 'string' ? example : textOf([JSON.parse(sample())].flat(), essence(type));
    };
  },
  statePlugins: {
    spec: {
      wrapActions: {
        clearResponse: (clear) => (path, method) => {
          streams.get(keyOf(path, method))?.controller.abort(DROPPED);
          streams.delete(keyOf(path, method));
          return clear(path, method);
        },
      },
    },
  },
  wrapComponents: {
    liveResponse: (Original, { React: { createElement } }) => (props) => {
      const { state, isOpen, controller } = streams.get(keyOf(props.path, props.method)) ?? {};
      const stop = { className: 'btn cancel', onClick: () => controller.abort() };
      return createElement(
        'div',
        {},
        state && createElement('p', { role: 'status' }, state, ' ', isOpen && createElement('button', stop, 'Stop')),
        createElement(Original, props),
      );
    },
    responseBody: (Original, { React: { createElement } }) => (props) => {
      const type = essence(props.contentType);
      // Swagger UI would parse the items of a stream as one JSON text.
      if (streamed.has(type)) return createElement(Original, { ...props, contentType: '' });
      if (type === 'application/json' && /\d{16}/.test(props.content))
        return createElement(Original, { ...props, contentType: '', content: exactJson(props.content) });
      if (!(props.content instanceof Blob) || type.startsWith('image/')) return createElement(Original, props);
      const name = new URL(props.url, location.href).pathname.split('/').pop();
      const disposition = props.headers['content-disposition'] ?? 'attachment; filename="' + name + '"';
      const headers = { ...props.headers, 'content-disposition': disposition };
      return createElement(Original, { ...props, headers, contentType: 'application/octet-stream' });
    },
  },
};

const ui = SwaggerUIBundle({
  dom_id: '#docs',
  url: 'openapi.json',
  deepLinking: true,
  tryItOutEnabled: true,
  supportedSubmitMethods: methods,
  plugins: [plugin],
  oauth2RedirectUrl: new URL('docs/oauth2-redirect.html', location.href).href,
  requestInterceptor(request) {
    if (issuers.some((url) => request.url.startsWith(url))) return request;
    const { pathname, search } = new URL(request.url, location.href);
    request.url = location.origin + pathname + search;
    if (request.loadSpec) return request;
    // Otherwise the browser asks for a password after a challenge to basic authentication.
    if (!setCookies(60)) request.credentials = 'omit';
    return request;
  },
  async responseInterceptor(response) {
    setCookies(0);
    if (response.url.endsWith('/-/openapi.json')) {
      const contract = JSON.parse(response.text);
      prepare(contract, contract.components?.mediaTypes ?? {});
      response.text = JSON.stringify(contract);
    }
    if (response.data instanceof Blob && streamed.has(essence(response.headers['content-type'])))
      response.text = response.data = await response.data.text();
    return response;
  },
});
ui.initOAuth({ usePkceWithAuthorizationCodeGrant: true });
`;
