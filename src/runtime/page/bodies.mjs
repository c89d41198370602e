/** Bodies and queries: what Swagger UI does not send, or shows otherwise than it was sent. */

import { essence, streamed, textOf } from './streams.mjs';

const FORM = 'application/x-www-form-urlencoded';

/** Keeps the digits of numbers, where the browser can. */
const exact = (key, value, context) =>
  typeof value === 'number' && JSON.rawJSON ? JSON.rawJSON(context.source) : value;

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
  const write = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
  const fields = Object.entries(given ?? {}).flatMap(([name, value]) => {
    const { style, explode = (style ?? 'form') === 'form' } = encoding[name] ?? {};
    const separator = { spaceDelimited: ' ', pipeDelimited: '|' }[style] ?? ',';
    const values = Array.isArray(value) ? value.map(write) : [write(value)];
    return explode ? values.map((one) => [name, one]) : [[name, values.join(separator)]];
  });
  return new URLSearchParams(fields).toString();
}

/** Sends a list in a form as one field or part for each value; Swagger UI would join the values. */
function repeatLists({ spec, pathName, method, requestContentType: type, requestBody }) {
  const item = spec.paths[pathName];
  const media = (item[method] ?? item.additionalOperations?.[method])?.requestBody?.content?.[type];
  if (!media || typeof requestBody !== 'object') return;
  const write = (value) =>
    typeof value === 'object' && !(value instanceof Blob) ? JSON.stringify(value) : value;
  for (const [name, value] of Object.entries(requestBody ?? {})) {
    if (!Array.isArray(value)) continue;
    if (type.startsWith('multipart/')) requestBody[name] = value.map(write);
    if (requestBody[name].some((one) => typeof one === 'object')) continue;
    media.encoding = {
      ...media.encoding,
      [name]: { style: 'form', explode: true, ...media.encoding?.[name] },
    };
  }
}

/** A plugin of Swagger UI. */
export const bodiesPlugin = {
  afterLoad() {
    const { execute, getSampleSchema, isFileUploadIntended } = this.fn;
    this.fn.execute = (asked) => {
      repeatLists(asked);
      const parameters = asked.operation.get('parameters')?.toJS() ?? [];
      const query = parameters.find((one) => one.in === 'querystring');
      const text = query && asked.parameters[`querystring.${query.name}`];
      const requestInterceptor = (request) => {
        const separator = request.url.includes('?') ? '&' : '?';
        if (text) request.url += separator + queryOf(text, Object.entries(query.content));
        return asked.requestInterceptor(request);
      };
      return execute({ ...asked, requestInterceptor });
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
