import { DEVICES, LONGEST } from '../generate/handler-names';

/** The names of a new service, in each form that its files need. */
export interface Names {
  /** Of the package, the image and the domain folder: `night-shop`. */
  readonly kebab: string;
  /** Of types: `NightShop`. */
  readonly pascal: string;
  /** Of the schema in databases: `night_shop`. */
  readonly snake: string;
  /** Four ASCII characters that mark its SQLite files: `Nigh`. */
  readonly mark: string;
  /** Of people: the title of the document. */
  readonly title: string;
}

/** Folders of src/ that are not the domain's, and names that no folder has. */
const TAKEN = ['handlers', 'storage', ...DEVICES];

/**
 * The names of a service.
 *
 * @param given the name that the user chose, or the name of the folder
 * @returns undefined if it has no letter that a name can begin with
 */
export function namesFrom(given: string, title: string): Names | undefined {
  const words = wordsOf(given);
  const plain = words
    .join('-')
    .replace(/^[^a-z]+/, '')
    .slice(0, LONGEST)
    .replace(/-$/, '');
  if (plain === '') return undefined;
  const kebab = TAKEN.includes(plain) ? `${plain}-service` : plain;
  const pascal = pascalOf(kebab);
  return {
    kebab,
    pascal,
    snake: kebab.replaceAll('-', '_'),
    mark: pascal.slice(0, 4).padEnd(4, '_'),
    title,
  };
}

/** `listAllEvents`, `list_all-events` -> `list`, `all`, `events`. */
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');

/** A name without case and punctuation. */
export const plain = (text: string): string => text.toLowerCase().replace(/[^a-z\d]/g, '');

export const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

export const pascalOf = (text: string): string => wordsOf(text).map(capitalized).join('');

/** An identifier in camel case; `fallback` if the text has no letter. */
export function camelOf(text: string, fallback: string): string {
  const pascal = pascalOf(text).replace(/^\d+/, '');
  return pascal === '' ? fallback : pascal.slice(0, 1).toLowerCase() + pascal.slice(1);
}

/** Nouns whose plural is the same. */
const SAME = /(news|series|species)$/i;

/** `companies` -> `company`, `boxes` -> `box`; a word that ends otherwise stays. */
export const singularOf = (noun: string): string =>
  SAME.test(noun) || /(ss|us|is)$/i.test(noun)
    ? noun
    : noun.replace(/ies$|(ss|x|z|ch|sh)es$|s$/, (ending, stem?: string) =>
        ending === 'ies' ? 'y' : (stem ?? ''),
      );

/** `company` -> `companies`, `box` -> `boxes`; a plural stays. */
export const pluralOf = (noun: string): string => {
  if (SAME.test(noun) || singularOf(noun) !== noun) return noun;
  if (/[^aeiou]y$/.test(noun)) return noun.replace(/y$/, 'ies');
  return `${noun}${/(s|x|z|ch|sh)$/.test(noun) ? 'es' : 's'}`;
};
