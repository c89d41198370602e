/** Bodies and queries: what Swagger UI does not send, or shows otherwise than it was sent. */

import { essence, streamed, textOf } from './streams.mjs';

const FORM = 'application/x-www-form-urlencoded';

/** Keeps the digits of numbers, where the browser can. */
export const exact = (key, value, context) =>
  typeof value === 'number' && JSON.rawJSON ? JSON.rawJSON(context.source) : value;

const write = (value) =>
  typeof value === 'object' && !(value instanceof Blob) ? JSON.stringify(value) : value;

/** The fields of a value under `deepObject`: its name continues in brackets, as the server reads it. */
function deepFields(name, value) {
  const isNested = typeof value === 'object' && value !== null && !JSON.isRawJSON?.(value);
  if (!isNested) return [[name, write(value)]];
  return Object.entries(value).flatMap(([step, part]) => deepFields(`${name}[${step}]`, part));
}

/** The value of an input for an object or a list, which is JSON. */
function valueOf(input) {
  if (typeof input !== 'string' || !/^\s*[{[]/.test(input)) return input;
  try {
    return JSON.parse(input, exact);
  } catch {
    return input;
  }
}

/** A query in which the parameters of the style `deepObject` are written with brackets. */
function withDeepParameters(url, parameters, values) {
  const deep = parameters.filter(
    (one) => one.in === 'query' && one.style === 'deepObject' && values[`query.${one.name}`],
  );
  if (deep.length === 0) return url;
  const fields = deep.flatMap(({ name }) => deepFields(name, valueOf(values[`query.${name}`])));
  const [path, query = ''] = url.split('?');
  const others = query.split('&').filter((pair) => {
    const key = decodeURIComponent(pair.split('=')[0]);
    return pair !== '' && !deep.some(({ name }) => key === name || key.startsWith(`${name}[`));
  });
  return `${path}?${[...others, new URLSearchParams(fields)].join('&')}`;
}

const exactJson = (text) => JSON.stringify(JSON.parse(text, exact), null, 2);

/** Writes the value of a parameter in querystring (OpenAPI 3.2 section 4.12.2.3). A form may also be given as it is sent. */
function queryOf(text, [[type, { encoding = {} }]]) {
  if (essence(type) !== FORM) return encodeURIComponent(text);
  let given;
  try {
    given = JSON.parse(text, exact);
  } catch {
    return text;
  }
  const fields = Object.entries(given ?? {}).flatMap(([name, value]) => {
    const { style, explode = (style ?? 'form') === 'form' } = encoding[name] ?? {};
    if (style === 'deepObject') return deepFields(name, value);
    const separator = { spaceDelimited: ' ', pipeDelimited: '|' }[style] ?? ',';
    const values = Array.isArray(value) ? value.map(write) : [write(value)];
    return explode ? values.map((one) => [name, one]) : [[name, values.join(separator)]];
  });
  return new URLSearchParams(fields).toString();
}

/**
 * Sends a list in a form as one field or part for each value, and what is under `deepObject` with brackets; Swagger UI would join
 * the values, and write what is nested as JSON.
 */
function spreadFields({ spec, pathName, method, requestContentType: type, requestBody }) {
  const item = spec.paths[pathName];
  const media = (item[method] ?? item.additionalOperations?.[method])?.requestBody?.content?.[type];
  if (!media || typeof requestBody !== 'object') return;
  for (const [name, input] of Object.entries(requestBody ?? {})) {
    const isDeep = media.encoding?.[name]?.style === 'deepObject';
    const value = isDeep ? valueOf(input) : input;
    if (isDeep && typeof value === 'object') {
      Reflect.deleteProperty(requestBody, name);
      Object.assign(requestBody, Object.fromEntries(deepFields(name, value)));
      continue;
    }
    if (!Array.isArray(value)) continue;
    if (value.length === 1 && typeof value[0] === 'object' && !(value[0] instanceof Blob)) {
      // Swagger UI would take the members of the only item for fields.
      [requestBody[name]] = value;
      continue;
    }
    if (type.startsWith('multipart/')) requestBody[name] = value.map(write);
    if (requestBody[name].some((one) => typeof one === 'object')) continue;
    media.encoding = {
      ...media.encoding,
      [name]: { style: 'form', explode: true, ...media.encoding?.[name] },
    };
  }
}

/** Prepares what Swagger UI builds a request from. Returns what completes the URL. */
function prepare(asked) {
  spreadFields(asked);
  const { pathName, method, spec } = asked;
  const item = spec.paths[pathName];
  const { parameters = [] } = asked.operation?.toJS() ?? item[method] ?? item.additionalOperations[method];
  const query = parameters.find((one) => one.in === 'querystring');
  const text = query && asked.parameters[`querystring.${query.name}`];
  return (url) => {
    const deep = withDeepParameters(url, parameters, asked.parameters);
    return text
      ? deep + (deep.includes('?') ? '&' : '?') + queryOf(text, Object.entries(query.content))
      : deep;
  };
}

/** A plugin of Swagger UI. */
export const bodiesPlugin = {
  afterLoad() {
    const { buildRequest, execute, getSampleSchema, isFileUploadIntended } = this.fn;
    this.fn.execute = (asked) => {
      const complete = prepare(asked);
      const requestInterceptor = (request) => {
        request.url = complete(request.url);
        return asked.requestInterceptor(request);
      };
      return execute({ ...asked, requestInterceptor });
    };
    this.fn.requestFor = (asked) => {
      const complete = prepare(asked);
      const request = buildRequest(asked);
      request.url = complete(request.url);
      return request;
    };
    this.fn.getSampleSchema = (schema, type, config, example) => {
      // A list of files begins empty: Swagger UI would send a text as the first.
      if (!type && schema?.get?.('items') && isFileUploadIntended(schema.get('items'))) return '[]';
      const sample = () => getSampleSchema(schema, 'application/json', config, example);
      if (!streamed.has(essence(type || ''))) return getSampleSchema(schema, type, config, example);
      return typeof example === 'string'
        ? example
        : textOf([JSON.parse(sample() ?? '[]')].flat(), essence(type));
    };
  },
  wrapComponents: {
    responseBody:
      (Original, { React: { createElement } }) =>
      (props) => {
        const type = essence(props.contentType);
        // Swagger UI would parse the items of a stream as one JSON text.
        if (streamed.has(type)) return createElement(Original, { ...props, contentType: '' });
        if (type === 'application/json' && /\d{16}/.test(props.content))
          return createElement(Original, { ...props, contentType: '', content: exactJson(props.content) });
        if (!(props.content instanceof Blob) || type.startsWith('image/'))
          return createElement(Original, props);
        const name = new URL(props.url, location.href).pathname.split('/').pop();
        const disposition = props.headers['content-disposition'] ?? `attachment; filename="${name}"`;
        const headers = { ...props.headers, 'content-disposition': disposition };
        return createElement(Original, { ...props, headers, contentType: 'application/octet-stream' });
      },
  },
};
