/** Code samples: they send what the form of an operation holds, before anything is sent. */

import { BASE } from './contract.mjs';
import { LANGUAGES, secret } from './code.mjs';
import { exampleOf } from './schemas.mjs';

/** The credentials of the first combination that an operation accepts: puts them into the request, and returns them for the client. */
function addCredentials(request, demand, schemes) {
  const used = Object.keys(demand).map((name) => {
    const { type, scheme, in: place, name: field } = schemes[name] ?? {};
    if (type === 'apiKey') {
      const key = secret('API_KEY');
      if (place === 'header') request.headers[field] = key;
      else if (place === 'cookie') request.headers.Cookie = `${field}=${key}`;
      else request.url += `${request.url.includes('?') ? '&' : '?'}${encodeURIComponent(field)}=${key}`;
      return [name, 'apiKey'];
    }
    const isBasic = /^basic$/i.test(scheme);
    if (type !== 'mutualTLS')
      request.headers.Authorization = isBasic
        ? `Basic ${secret('CREDENTIALS')}`
        : `Bearer ${secret('TOKEN')}`;
    return [name, isBasic ? '{ username, password }' : 'token'];
  });
  return Object.fromEntries(used);
}

/** The body of the form; before it is edited, that of the example that the form begins with. */
function contentOf({ fn, oas3Selectors }, path, method, requestBody, type) {
  const media = requestBody?.getIn(['content', type]);
  if (!media) return undefined;
  const schema = media.get('schema');
  const { properties = {}, required = [] } = schema?.toJS() ?? {};
  let value = oas3Selectors.requestBodyValue(path, method);
  if (value?.toJS)
    value = value
      .map((one) => one?.get?.('value') ?? one)
      .filter((one) => one !== '' && one !== undefined && one?.length !== 0)
      .toJS();
  if (/^multipart\/|x-www-form-urlencoded$/.test(type)) {
    value = Object(value);
    for (const name of required)
      value[name] ??= fn.isFileUploadIntended(properties[name], '')
        ? new File([], 'file')
        : exampleOf(name, properties[name]);
  } else if (fn.isFileUploadIntended(schema, type)) {
    if (!(value instanceof File)) value = new File([], 'file');
  } else if (requestBody.get('required')) {
    const example = media.get('example') ?? media.get('examples')?.first()?.get('value');
    // Of the same schema, because a pattern makes examples random.
    value ??= fn.getSampleSchema(schema, type, { includeWriteOnly: true }, example?.toJS?.() ?? example);
  }
  if (value === undefined || value === '') return undefined;
  const isOneOfSeveral = requestBody.get('content').size > 1;
  return { value, schema: schema?.toJS(), isOneOfSeveral };
}

/** The request that the form of an operation stands for. */
function requestOf(system, { path, method, operation, specPath }) {
  const { fn, specSelectors, oas3Selectors } = system;
  const document = specSelectors.specJson();
  const namespace = `${path}:${method}`;
  const server = oas3Selectors.selectedServer(namespace) || oas3Selectors.selectedServer();
  const variables = (where) => oas3Selectors.serverVariables(where).toJS();
  const chosen = variables({ server, namespace });
  const given = specSelectors.parameterValues([path, method]).toJS();
  const parameters = (operation.get('parameters')?.toArray() ?? [])
    .map((parameter) => {
      const one = parameter.toJS();
      const value = given[`${one.in}.${one.name}`];
      const isMissing = one.required && (value === undefined || value.length === 0);
      const example = () =>
        one.schema?.pattern && !one.schema.example
          ? JSON.parse(fn.getSampleSchema(parameter.get('schema')))
          : exampleOf(one.name, { ...one.schema, ...one });
      return { ...one, value: isMissing ? example() : value };
    })
    .filter(({ value }) => value !== undefined && value !== '');
  const body = operation.get('requestBody');
  const type = oas3Selectors.requestContentType(path, method) ?? body?.get('content')?.keySeq().first();
  const content = contentOf(system, path, method, body, type);
  const own = { [method]: operation.toJS() };
  const item = specPath.includes('additionalOperations') ? { additionalOperations: own } : own;
  const request = fn.requestFor({
    spec: {
      openapi: document.get('openapi'),
      servers: document.get('servers')?.toJS(),
      paths: { [path]: item },
    },
    pathName: path,
    method,
    operationId: operation.get('operationId'),
    parameters: Object.fromEntries(parameters.map((one) => [`${one.in}.${one.name}`, one.value])),
    requestBody: content && (content.value instanceof File ? content.value : structuredClone(content.value)),
    requestContentType: content && type,
    responseContentType: oas3Selectors.responseContentType(path, method) ?? '*/*',
    server,
    serverVariables: Object.keys(chosen).length > 0 ? chosen : variables({ server }),
    contextUrl: location.href,
  });
  const isForm = request.body instanceof FormData;
  const { accept, 'Content-Type': contentType, ...headers } = request.headers;
  if (accept && accept !== '*/*') headers.Accept = accept;
  // Of a form of several parts, the browser and curl write the boundary.
  if (contentType && !isForm) headers['Content-Type'] = contentType;
  const message = { ...request, headers: {}, parameters, content, type };
  const [demand = {}] = (operation.get('security') ?? document.get('security'))?.toJS() ?? [];
  const schemes = document.getIn(['components', 'securitySchemes'])?.toJS() ?? {};
  message.credentials = addCredentials(message, demand, schemes);
  Object.assign(message.headers, headers);
  const base = request.url.startsWith(BASE) ? BASE : new URL(request.url).origin;
  return {
    ...message,
    method: request.method.toUpperCase(),
    base,
    operationId: operation.get('operationId'),
  };
}

/** The language that was chosen last, for the operations that are opened next. */
let chosen = 'curl';

function Samples({ React: { createElement, useState }, getSystem, ...props }) {
  const [title, choose] = useState(chosen);
  const [isCopied, setCopied] = useState(false);
  const { getComponent } = props;
  const [language, write] = LANGUAGES[title];
  let text;
  try {
    text = write(requestOf(getSystem(), props));
  } catch (error) {
    text = `${language === 'bash' ? '#' : '//'} ${error.message}`;
  }
  const tab = (name) =>
    createElement(
      'button',
      {
        key: name,
        type: 'button',
        'aria-pressed': name === title,
        onClick: () => {
          chosen = name;
          choose(name);
        },
      },
      name,
    );
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  const titles = Object.keys(LANGUAGES).filter(
    (name) => name !== 'TypeScript client' || props.operation.get('operationId'),
  );
  return createElement(
    'section',
    { className: 'samples', 'aria-label': 'Code samples' },
    createElement(
      'div',
      { className: 'samples-head', role: 'group', 'aria-label': 'Language' },
      titles.map(tab),
      // Browsers have a clipboard only over TLS and for localhost.
      navigator.clipboard &&
        createElement(
          'button',
          { type: 'button', className: 'copy', onClick: copy },
          isCopied ? 'Copied' : 'Copy',
        ),
    ),
    createElement(getComponent('SyntaxHighlighter', true), { language, className: 'microlight' }, text),
  );
}

/** A plugin of Swagger UI, which shows the samples before the responses. */
export const samplesPlugin = {
  components: { Samples },
  wrapComponents: {
    responses:
      (Original, { React: { createElement, Fragment }, getComponent, specSelectors }) =>
      (props) => {
        const { path, method } = props;
        const place = props.specPath.pop();
        const isSent = place.first() === 'paths' && !place.includes('callbacks');
        const operation = isSent && specSelectors.specResolvedSubtree(place.toJS());
        const samples = () =>
          createElement(getComponent('Samples', true), { path, method, operation, specPath: place.toJS() });
        return createElement(Fragment, {}, operation && samples(), createElement(Original, props));
      },
  },
};
