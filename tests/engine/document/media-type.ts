/** How a body is encoded. */
export type Codec = 'json' | 'form' | 'text' | 'binary';

/** The codec of a media type; `binary` if no other applies. */
export function codecOf(mediaType: string): Codec {
  const essence = mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (/[/+]json$/.test(essence)) return 'json';
  if (essence === 'application/x-www-form-urlencoded') return 'form';
  return essence.startsWith('text/') ? 'text' : 'binary';
}

/** Whether a documented media type or range (`text/*`) includes a media type without parameters. */
export function matchesMediaType(documented: string, media: string): boolean {
  const essence = documented.split(';')[0]?.trim().toLowerCase() ?? '';
  return (
    essence === media ||
    essence === '*/*' ||
    (essence.endsWith('/*') && media.startsWith(essence.slice(0, -1)))
  );
}
