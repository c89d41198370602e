import { readFile } from 'node:fs/promises';
import path from 'node:path';
import express, { type Router } from 'express';
import { stringify } from 'yaml';
import {
  isObject,
  type JsonObject,
  members,
  type OpenApiDocument,
  operationPlaces,
  securitySchemes,
  writeDocument,
} from '../contract';
import { docsScript } from './docs-script';
import { staticFile } from './static-file';

/** The files of Swagger UI (https://github.com/swagger-api/swagger-ui): package.json says where. */
const ASSETS = path.dirname(require.resolve('#swagger-ui/LICENSE'));
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'oauth2-redirect.js'];

/** An origin whose text has no meaning of its own in a policy: a host may have a comma or a semicolon. */
const ORIGIN = /^https?:\/\/[\w.:[\]-]{1,300}$/;

/**
 * Allows only scripts, styles and images of this server. No page may frame this one.
 *
 * @param origins of the servers that issue tokens
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

/** The page to which an authorization server returns (RFC 6749 section 3.1.2). Its script passes the code on. */
const REDIRECT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Authorized</title></head>
<body><script src="oauth2-redirect.js"></script></body>
</html>
`;

const page = (title: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
<script src="docs/swagger-ui-bundle.js" defer></script>
<script src="docs/start.js" defer></script>
</head>
<body><main id="docs"></main></body>
</html>
`;

const titleOf = ({ info }: JsonObject): string => String(isObject(info) ? info['title'] : '');
const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The absolute URLs from which Swagger UI fetches tokens and their configuration (OpenAPI 3.1 section 4.8.29). */
function issuersOf(document: OpenApiDocument): string[] {
  const objects = securitySchemes(document).flatMap(({ value: { flows, ...scheme } }) => [
    scheme,
    ...members(flows).flatMap(([, flow]) => (isObject(flow) ? [flow] : [])),
  ]);
  const urls = objects.flatMap(({ tokenUrl, refreshUrl, openIdConnectUrl }) => [
    tokenUrl,
    refreshUrl,
    openIdConnectUrl,
  ]);
  return urls.filter(
    (url): url is string => typeof url === 'string' && /^https?:/i.test(url) && URL.canParse(url),
  );
}

/**
 * The published contract as `openapi.json` and `openapi.yaml`, and the documentation page `docs`. Mounted under the
 * reserved path prefix.
 */
export function docsRouter(document: OpenApiDocument): Router {
  const router = express.Router({ strict: true });
  const issuers = issuersOf(document);
  const origins = issuers.map((url) => new URL(url).origin).filter((origin) => ORIGIN.test(origin));
  const policy = policyFor([...new Set(origins)]);
  // Swagger UI compares the names of the fields: lower case, except those of `additionalOperations`. Browsers refuse TRACE.
  const methods = operationPlaces(document)
    .filter(({ method }) => method !== 'TRACE')
    .flatMap(({ method }) => [method, method.toLowerCase()]);
  const texts: [name: string, type: string, text: string][] = [
    ['openapi.json', 'application/json', writeDocument(document.root, 2)],
    ['openapi.yaml', 'application/yaml', stringify(document.root)], // RFC 9512
    ['docs', 'text/html', page(escapeHtml(titleOf(document.root)))],
    ['docs/start.js', 'text/javascript', docsScript({ issuers, methods: [...new Set(methods)] })],
    ['docs/oauth2-redirect.html', 'text/html', REDIRECT],
  ];
  for (const [name, type, text] of texts) {
    const headers = { 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' };
    router.get(
      `/${name}`,
      staticFile(() => Promise.resolve(Buffer.from(text)), type, headers),
    );
  }
  for (const name of FILES) {
    const headers = { 'Cache-Control': 'public, max-age=3600' };
    router.get(
      `/docs/${name}`,
      staticFile(() => readFile(path.join(ASSETS, name)), path.extname(name), headers),
    );
  }
  return router;
}
