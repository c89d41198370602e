/** What a service installs with `npm ci --omit=dev`: names of packages. None of them is only for tools. */
export const PRODUCTION = `
  @apidevtools/json-schema-ref-parser @eslint-community/regexpp @fastify/busboy @jsdevtools/ono @opentelemetry/api
  @pinojs/redact @prometheus-io/client @redis/client @types/body-parser @types/connect @types/express
  @types/express-serve-static-core @types/http-errors @types/json-schema @types/multer @types/node @types/passport @types/qs
  @types/range-parser @types/send @types/serve-static accepts ajv ajv-draft-04 ajv-formats append-field argparse async-function
  async-generator-function atomic-sleep bintrees body-parser busboy bytes call-bind-apply-helpers call-bound colorette
  content-disposition content-type contract-first-database contract-first-server cookie cookie-signature cors dateformat debug
  depd dunder-proto ee-first encodeurl end-of-stream es-define-property es-errors es-object-atoms escape-html etag express
  express-openapi-validator fast-copy fast-deep-equal fast-safe-stringify fast-uri finalhandler forwarded fresh function-bind
  generator-function get-intrinsic get-proto gopd has-symbols hasown help-me http-errors iconv-lite inherits ipaddr.js
  is-promise jose joycon js-yaml json-schema-traverse lodash.clonedeep lodash.get math-intrinsics media-typer merge-descriptors
  mime-db mime-types minimist ms multer negotiator object-assign object-inspect on-exit-leak-free on-finished once ono parseurl
  passport passport-http-bearer passport-strategy path-to-regexp pause pg pg-cloudflare pg-connection-string pg-int8 pg-pool
  pg-protocol pg-types pgpass pino pino-abstract-transport pino-pretty pino-std-serializers postgres-array postgres-bytea
  postgres-date postgres-interval process-warning proxy-addr pump qs quick-format-unescaped range-parser rate-limiter-flexible
  raw-body real-require require-from-string router safe-stable-stringify safer-buffer secure-json-parse send serve-static
  setprototypeof side-channel side-channel-list side-channel-map side-channel-weakmap sonic-boom split2 statuses streamsearch
  strip-json-comments tdigest thread-stream toidentifier type-is undici-types unpipe utils-merge vary wrappy xtend yaml`
  .trim()
  .split(/\s+/);

/** The MB (10^6 bytes) that their files may have. They have 30.4, 2.6 of them sources and maps. */
export const PRODUCTION_MEGABYTES = 31;
