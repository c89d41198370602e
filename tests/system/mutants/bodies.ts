import { body, mutant, request, type Fault, type Mutant } from './parts';

const mediaType = (change: (field: string) => string): Fault =>
  request((incoming) => {
    incoming.headers['content-type'] = change(incoming.headers['content-type'] ?? '');
  });

export const bodies: readonly Mutant[] = [
  mutant(
    'bodies',
    'bodies go through JSON.parse',
    body((text) => {
      try {
        return JSON.stringify(JSON.parse(text));
      } catch {
        return text;
      }
    }),
  ),
  mutant(
    'bodies',
    'a byte order mark is skipped',
    body((text) => text.replace(/^\u00ef\u00bb\u00bf/, '')),
  ),
  mutant(
    'bodies',
    'invalid UTF-8 is replaced',
    body((text) => text.replace(/[\u00c0-\u00ff]./g, '?')),
  ),
  mutant(
    'bodies',
    'lone surrogates are replaced',
    body((text) => text.replace(/\\ud[89a-f]../g, '?')),
  ),
  mutant(
    'bodies',
    'trailing commas are forgiven',
    body((text) => text.replace(/,\}/g, '}')),
  ),
  mutant(
    'bodies',
    '__proto__ is dropped in silence',
    body((text) => text.replace(/"(?:_|\\u005f)_proto__":\{\},/, '')),
  ),
  mutant(
    'bodies',
    'what stands behind the body is ignored',
    body((text) => text.replace(/\} x$/, '}')),
  ),
  mutant('bodies', 'no body is too large', { bodyLimit: 10_000_000 }),
  mutant('bodies', 'bodies may be a byte too large', { bodyLimit: 65_537 }),
  mutant('bodies', 'the largest body is refused', { bodyLimit: 65_535 }),
  mutant(
    'media types',
    'any media type is taken for JSON',
    mediaType(() => 'application/json'),
  ),
  mutant(
    'media types',
    'charsets are ignored',
    mediaType((field) => field.split(';')[0] ?? ''),
  ),
  mutant(
    'media types',
    'charset=utf-8 is refused',
    mediaType((field) => (field.includes(';') ? 'text/plain' : field)),
  ),
  mutant(
    'media types',
    'media types are compared letter by letter',
    mediaType((field) => (/[A-Z]{4}/.test(field) ? 'text/plain' : field)),
  ),
  mutant(
    'media types',
    'content codings are ignored',
    request((incoming) => delete incoming.headers['content-encoding']),
  ),
];
