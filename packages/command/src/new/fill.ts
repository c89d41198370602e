/** Puts names and parts into the files of packages/command/layout/. A place that a file does not have is an error. */

/**
 * What stands in the places of a file. A name that begins with # is that of a region, between lines with `#region NAME` and
 * `#endregion NAME`: true keeps it, false leaves it out, a text replaces it, and a list repeats it, each time with places of its
 * own. Any other name is a text of the file, and its value is put there.
 */
export type Places = Readonly<Record<string, Place>>;
type Place = string | boolean | readonly { readonly [place: string]: Place }[];

/** The lines of a region; a blank line next to a mark, which Markdown needs, belongs to the mark. */
const REGION = /^[^\n]*#region (\w+)[^\n]*\n\n?([^]*?)(?:(?<=\n)\n)?^[^\n]*#endregion \1\b[^\n]*\n/m;

/**
 * @param file names the text in errors
 * @param own the places that the text must have
 * @param outer those that it may have
 * @throws {Error} if a place is missing, or a region has no value
 */
export function fill(file: string, text: string, own: Places, outer: Places = {}): string {
  const regions = new Set(Array.from(text.matchAll(/#region (\w+)/g), ([, name = '']) => `#${name}`));
  const missing = Object.keys(own).filter((place) =>
    place.startsWith('#') ? !regions.has(place) : !text.includes(place),
  );
  if (missing.length > 0) throw new Error(`${file} of the layout has no place for ${missing.join(', ')}`);
  return put(file, text, { ...outer, ...own });
}

function put(file: string, text: string, places: Places): string {
  // Text outside of regions, then the name and the content of a region, and so on.
  const pieces = text.split(REGION);
  return pieces
    .map((piece, i) => {
      if (i % 3 === 1) return '';
      if (i % 3 === 0) {
        const mark = /#(end)?region.*/.exec(piece)?.[0];
        if (mark !== undefined)
          throw new Error(`${file} of the layout has ${mark} alone, expected two marks`);
        // What was left out had a blank line on each side.
        const isGap = places[`#${pieces[i - 2]}`] === false && pieces[i - 3]?.endsWith('\n\n') === true;
        return replace(isGap ? piece.replace(/^\n/, '') : piece, places);
      }
      const value = places[`#${pieces[i - 1]}`];
      if (value === undefined)
        throw new Error(`${file} of the layout has a region ${pieces[i - 1]} that nothing is put into`);
      if (typeof value === 'string') return value;
      if (typeof value === 'boolean') return value ? put(file, piece, places) : '';
      return value.map((row) => fill(file, piece, row, places)).join('');
    })
    .join('');
}

/** Replaces all texts at once, the longest first: what is put in is never replaced. */
function replace(text: string, places: Places): string {
  const texts = Object.keys(places).filter((place) => !place.startsWith('#'));
  if (texts.length === 0) return text;
  const longest = texts
    .sort((a, b) => b.length - a.length)
    .map((place) => place.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return text.replace(new RegExp(longest.join('|'), 'g'), (found) => {
    const value = places[found];
    return typeof value === 'string' ? value : found;
  });
}

/** Whether code uses a name, other than in a text, as a property or as a member. */
export const mentions = (code: string, name: string): boolean =>
  new RegExp(`(?<![\\w$]|(?:^|[^.])\\.)${name}\\b(?!\\??:)`).test(code.replace(/'(?:[^'\\\n]|\\.)*'/g, ''));

/** A TypeScript file without the imports that nothing in it uses. */
export function withoutUnusedImports(text: string): string {
  return text.replace(
    /^import (?:(\w+)|(?:type )?\{([^}]*)\}) from [^;]*;\n/gm,
    (line, whole: string | undefined, list: string) => {
      const rest = text.replace(/^import [^;]*;\n/gm, '');
      if (whole !== undefined) return new RegExp(`\\b${whole}[.(]`).test(rest) ? line : '';
      const names = list
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '');
      const used = names.filter((name) => mentions(rest, /\w+$/.exec(name)?.[0] ?? ''));
      if (used.length === names.length) return line;
      return used.length === 0 ? '' : line.replace(list, ` ${used.join(', ')} `);
    },
  );
}
