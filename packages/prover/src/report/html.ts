/** Text that is HTML already. Only {@link html} creates it. */
export class Markup {
  constructor(readonly text: string) {}
}

type Content = string | number | Markup | undefined | readonly Content[];

/**
 * A template of HTML or XML whose values are escaped: text of a server under test never becomes markup. Values that are
 * markup stay as they are; lists are joined. U+FFFD replaces the control characters that XML 1.0 cannot contain.
 */
export const html = (parts: TemplateStringsArray, ...values: readonly Content[]): Markup =>
  new Markup(parts.map((part, index) => part + render(values[index])).join(''));

/** Text of this project, without escapes: a style sheet or a script. */
export const trusted = (text: string): Markup => new Markup(text);

function render(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Markup) return content.text;
  if (typeof content === 'object') return content.map(render).join('');
  return String(content)
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
