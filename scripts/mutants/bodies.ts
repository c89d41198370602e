import { body, mutants, request, type Fault } from './parts';

const mediaType = (change: (field: string) => string): Fault =>
  request((incoming) => {
    incoming.headers['content-type'] = change(incoming.headers['content-type'] ?? '');
  });

export const bodies = mutants({
  bodies: {
    'bodies go through JSON.parse': body((text) => {
      try {
        return JSON.stringify(JSON.parse(text));
      } catch {
        return text;
      }
    }),
    'a byte order mark is skipped': body((text) => text.replace(/^\u00ef\u00bb\u00bf/, '')),
    'invalid UTF-8 is replaced': body((text) => text.replace(/[\u00c0-\u00ff]./g, '?')),
    'lone surrogates are replaced': body((text) => text.replace(/\\ud[89a-f]../g, '?')),
    'trailing commas are forgiven': body((text) => text.replace(/,\}/g, '}')),
    '__proto__ is dropped in silence': body((text) => text.replace(/"(?:_|\\u005f)_proto__":\{\},/, '')),
    'what stands behind the body is ignored': body((text) => text.replace(/\} x$/, '}')),
    'no body is too large': { bodyLimit: 10_000_000 },
    'bodies may be a byte too large': { bodyLimit: 65_537 },
    'the largest body is refused': { bodyLimit: 65_535 },
  },
  'media types': {
    'any media type is taken for JSON': mediaType(() => 'application/json'),
    'charsets are ignored': mediaType((field) => field.split(';')[0] ?? ''),
    'charset=utf-8 is refused': mediaType((field) => (field.includes(';') ? 'text/plain' : field)),
    'media types are compared letter by letter': mediaType((field) =>
      /[A-Z]{4}/.test(field) ? 'text/plain' : field,
    ),
    'content codings are ignored': request((incoming) => delete incoming.headers['content-encoding']),
  },
});
