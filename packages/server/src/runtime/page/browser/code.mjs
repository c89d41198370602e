/** Writes a request as code: for curl, for fetch, and for the generated client. */

import { exact } from './bodies.mjs';

/** Stands in a text for the variable of this name, which has a credential. */
export const secret = (name) => `\0${name}\0`;
const SECRET = /\0(\w+)\0/g;
const camelCase = (name) => name.toLowerCase().replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

const shellWord = (text) =>
  text.includes('\0')
    ? `"${text.replace(/["\\`$]/g, '\\$&').replace(SECRET, '$$$1')}"`
    : `'${text.replaceAll("'", "'\\''")}'`;

function quoted(text) {
  const escaped = text.replace(/[\\\n\r]/g, (one) => ({ '\\': '\\\\', '\n': '\\n', '\r': '\\r' })[one]);
  return text.includes('\0')
    ? `\`${escaped.replace(/`|\$\{/g, '\\$&').replace(SECRET, (_, name) => `\${${camelCase(name)}}`)}\``
    : `'${escaped.replaceAll("'", "\\'")}'`;
}
const member = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name));

const propertyOf = (schema, name) =>
  schema?.properties?.[name] ?? schema?.allOf?.map((part) => propertyOf(part, name)).find(Boolean);

/** A value in JavaScript. An int64 of the client is a bigint. */
function literal(value, schema, indent = '') {
  const inner = `${indent}  `;
  const block = (open, lines, close) =>
    lines.length === 0
      ? open + close
      : `${open}\n${lines.map((line) => `${inner}${line},\n`).join('')}${indent}${close}`;
  if (value instanceof Blob) return 'file';
  if (JSON.isRawJSON?.(value) || typeof value === 'number')
    return `${value.rawJSON ?? value}${schema?.format === 'int64' ? 'n' : ''}`;
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) {
    const items = value.map((one) => literal(one, schema?.items, inner));
    return block('[', items, ']');
  }
  const members = Object.entries(value).map(
    ([name, one]) => `${member(name)}: ${literal(one, propertyOf(schema, name), inner)}`,
  );
  return block('{', members, '}');
}

const isJson = (type) => /[/+]json$/.test(type ?? '');

/** The value that a text of a form stands for. */
export function valueOf(text, isText) {
  if (isText || typeof text !== 'string') return text;
  try {
    return JSON.parse(text, exact);
  } catch {
    return text;
  }
}

function curl({ method, url, headers, body }) {
  const isUsual = method === 'GET' || (method === 'POST' && body !== undefined);
  const fields = Object.entries(headers).map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`);
  const part = ([name, value]) => `-F ${shellWord(`${name}=${value instanceof Blob ? '@file' : value}`)}`;
  const sent =
    body instanceof FormData
      ? [...body].map(part)
      : body instanceof Blob
        ? ['--data-binary @file']
        : body === undefined
          ? []
          : [`--data-raw ${shellWord(body)}`];
  const start = method === 'HEAD' ? 'curl -I' : isUsual ? 'curl' : `curl -X ${method}`;
  return [`${start} ${shellWord(url)}`, ...fields, ...sent].join(' \\\n  ');
}

function fetchCode({ method, url, headers, body, type }) {
  const bodyCode = () => {
    if (body instanceof FormData) return 'form';
    // Beyond 2^53 the digits of a number would change.
    const value = isJson(type) && !/\d{16}/.test(body) ? valueOf(body) : body;
    return typeof value === 'object' && !(value instanceof Blob)
      ? `JSON.stringify(${literal(value, undefined, '  ')})`
      : literal(value);
  };
  const part = ([name, value]) => `form.append(${quoted(name)}, ${literal(value)});\n`;
  const form =
    body instanceof FormData ? `const form = new FormData();\n${[...body].map(part).join('')}\n` : '';
  const fields = Object.entries(headers).map(
    ([name, value]) => `    ${member(name)}: ${quoted(String(value))},\n`,
  );
  const settings = [
    method === 'GET' ? '' : `  method: ${quoted(method)},\n`,
    fields.length === 0 ? '' : `  headers: {\n${fields.join('')}  },\n`,
    body === undefined ? '' : `  body: ${bodyCode()},\n`,
  ].join('');
  return `${form}const response = await fetch(${quoted(url)}${settings && `, {\n${settings}}`});`;
}

function client({ base, operationId, credentials, parameters, content, type }) {
  const given = {};
  const schemas = {};
  for (const { in: place, name, schema, value } of parameters) {
    given[place] = { ...given[place], [name]: valueOf(value, [schema?.type].flat().includes('string')) };
    schemas[place] = { properties: { ...schemas[place]?.properties, [name]: schema } };
  }
  if (content) {
    const { value, schema } = content;
    const field = ([name, one]) => [name, valueOf(one, /string/.test(propertyOf(schema, name)?.type))];
    given.body =
      typeof value === 'string' || value instanceof Blob
        ? valueOf(value, !isJson(type))
        : Object.fromEntries(Object.entries(value).map(field));
    schemas.body = content.schema;
    if (content.isOneOfSeveral) given.contentType = type;
  }
  const names = Object.entries(credentials).map(([name, value]) => `${member(name)}: ${value}`);
  const secrets = names.length > 0 ? `,\n  credentials: { ${names.join(', ')} }` : '';
  const call = /^[A-Za-z_$][\w$]*$/.test(operationId) ? `.${operationId}` : `[${quoted(operationId)}]`;
  const argument = Object.keys(given).length > 0 ? literal(given, { properties: schemas }) : '';
  return `import { createClient } from './client';

const api = createClient({
  baseUrl: ${quoted(base)}${secrets},
});
const answer = await api${call}(${argument});`;
}

/** By their title: a language that Swagger UI highlights, and the function that writes it. */
export const LANGUAGES = {
  curl: ['bash', curl],
  fetch: ['javascript', fetchCode],
  'TypeScript client': ['javascript', client],
};
