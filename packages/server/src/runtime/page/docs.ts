import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import express, { type Router } from 'express';
import type * as Yaml from 'yaml';
import { type Headers, type JsonObject, securitySchemes } from '../../contract';
import {
  isObject,
  members,
  type OpenApiDocument,
  operationPlaces,
  writeDocument,
} from '../../contract/tools';
import type { Login } from '../credentials/issuers';
import { STYLE } from './docs-style';
import { staticFile } from './static-file';

/** The files of Swagger UI (https://github.com/swagger-api/swagger-ui): package.json says where. */
const ASSETS = path.dirname(require.resolve('#swagger-ui/LICENSE'));
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'oauth2-redirect.js'];
/** The scripts of the page. */
const SCRIPTS = path.join(__dirname, 'browser');

/** An origin whose text has no meaning of its own in a policy: a host may have a comma or a semicolon. */
const ORIGIN = /^https?:\/\/[\w.:[\]-]{1,300}$/;

/**
 * Allows only scripts, styles and images of this server. No page may frame this one.
 *
 * @param origins of other servers that the page asks
 */
const policyFor = (origins: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:", // the arrows of Swagger UI's style sheet, and images that are answers
    ["connect-src 'self'", ...origins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** The most origins that the policy names, and combinations of values of the variables of a server: a header is bounded. */
const MAX_SERVERS = 50;

/** The page to which an authorization server returns (RFC 6749 section 3.1.2). Its script passes the code on. */
const REDIRECT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Authorized</title></head>
<body><script src="oauth2-redirect.js"></script></body>
</html>
`;

/** By the name of each security scheme of the type openIdConnect whose issuer the server has discovered. */
type Logins = ReadonlyMap<string, Login>;

const page = (title: string, methods: readonly string[], logins: Logins) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/page.css">
<script src="docs/swagger-ui-bundle.js" defer></script>
<script src="docs/main.mjs" type="module"></script>
</head>
<body><div id="docs" data-methods="${escapeHtml(methods.join(' '))}" data-logins="${escapeHtml(JSON.stringify(Object.fromEntries(logins)))}"></div></body>
</html>
`;

const titleOf = ({ info }: JsonObject): string => String(isObject(info) ? info['title'] : '');
const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The URLs from which Swagger UI fetches tokens and their configuration (OpenAPI 3.1 section 4.8.29). */
function issuersOf(document: OpenApiDocument, logins: Logins): unknown[] {
  return securitySchemes(document).flatMap(({ name, value: { flows, openIdConnectUrl } }) => [
    logins.get(name)?.discoveryUrl ?? openIdConnectUrl,
    ...members(flows).flatMap(([, flow]) => (isObject(flow) ? [flow['tokenUrl'], flow['refreshUrl']] : [])),
  ]);
}

/** The URLs of the servers that the document names, one for each combination of values of their variables, up to a limit. */
function serversOf(document: OpenApiDocument): string[] {
  const places = operationPlaces(document).flatMap(({ item, pointer }) => [
    item.get('servers'),
    `${pointer}/servers`,
  ]);
  const pointers = new Set(['/servers', ...places.filter((place) => place !== undefined)]);
  const servers = [...pointers].flatMap((pointer) => document.at(pointer) ?? []);
  return servers.flatMap((server) => {
    if (!isObject(server)) return [];
    let urls = [String(server['url'])];
    for (const [name, variable] of members(server['variables'])) {
      const { default: usual, enum: values } = isObject(variable) ? variable : {};
      const each = Array.isArray(values) ? values : [usual];
      urls = urls.flatMap((url) => each.map((value) => url.replaceAll(`{${name}}`, String(value))));
      urls = urls.slice(0, MAX_SERVERS);
    }
    return urls;
  });
}

/** A URL of another server; one without a scheme has that of the page, and `http` in a policy stands for both. */
const isWeb = (url: unknown): url is string =>
  typeof url === 'string' && /^(?:https?:)?\/\//i.test(url) && URL.canParse(url, 'http://localhost');

/** Loads the package on demand: to load it and to write a document takes a tenth of the time that a service takes to start. */
const toYaml = (value: unknown): string =>
  (createRequire(__filename)('yaml') as typeof Yaml).stringify(value);

/**
 * The published contract as `openapi.json` and `openapi.yaml`, and the documentation page `docs`. Mounted under the
 * reserved path prefix.
 */
export function docsRouter(document: OpenApiDocument, logins: Logins = new Map()): Router {
  const router = express.Router({ strict: true });
  const fixed = [...issuersOf(document, logins), ...serversOf(document)];
  // For each response, because an issuer may have been away when the server started.
  const policy = () => {
    const origins = [...fixed, ...[...logins.values()].map(({ tokenUrl }) => tokenUrl()?.href)]
      .filter(isWeb)
      .map((url) => new URL(url, 'http://localhost').origin)
      .filter((origin) => ORIGIN.test(origin));
    return policyFor([...new Set(origins)].slice(0, MAX_SERVERS));
  };
  // Swagger UI compares the names of the fields: lower case, except those of `additionalOperations`. Browsers refuse TRACE.
  const methods = operationPlaces(document)
    .filter(({ method }) => method !== 'TRACE')
    .flatMap(({ method }) => [method, method.toLowerCase()]);
  const texts: [name: string, type: string, text: () => string][] = [
    ['openapi.json', 'application/json', () => writeDocument(document.root, 2)],
    ['openapi.yaml', 'application/yaml', () => toYaml(document.root)], // RFC 9512
    ['docs', 'text/html', () => page(titleOf(document.root), [...new Set(methods)], logins)],
    ['docs/page.css', 'text/css', () => STYLE],
    ['docs/oauth2-redirect.html', 'text/html', () => REDIRECT],
  ];
  const serve = (name: string, load: () => Promise<Buffer>, type: string, headers: () => Headers) =>
    router.get(`/${name}`, staticFile(load, type, headers));
  const own = () => ({ 'Content-Security-Policy': policy(), 'Cache-Control': 'no-cache' });
  for (const [name, type, text] of texts) serve(name, () => Promise.resolve(Buffer.from(text())), type, own);
  for (const name of readdirSync(SCRIPTS).filter((file) => file.endsWith('.mjs')))
    serve(`docs/${name}`, () => readFile(path.join(SCRIPTS, name)), 'text/javascript', own);
  for (const name of FILES) {
    const headers = () => ({ 'Cache-Control': 'public, max-age=3600' });
    serve(`docs/${name}`, () => readFile(path.join(ASSETS, name)), path.extname(name), headers);
  }
  return router;
}
