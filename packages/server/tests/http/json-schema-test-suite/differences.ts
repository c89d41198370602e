import { domainToUnicode } from 'node:url';
import { Validator } from '@cfworker/json-schema';
import type { SuiteGroup, SuiteTest } from './suite';

/** A rule by which this server differs from the suite, by design. This list must not grow. */
interface Difference<Subject> {
  readonly reason: string;
  readonly applies: (subject: Subject) => boolean;
}

/** What is refused at start. Each rule reads the JSON text of a schema. */
export const REFUSED: readonly Difference<SuiteGroup>[] = [
  {
    reason: '$dynamicRef and $dynamicAnchor: $ref and $anchor are served',
    applies: ({ text }) => /"\$dynamic(Ref|Anchor)"/.test(text),
  },
  {
    reason: 'a reference to another document: the toolchain bundles documents before that',
    applies: ({ text }) => /"\$ref":"[^#]/.test(text),
  },
  {
    reason: 'an $id: the base URI of a schema is that of its document',
    applies: ({ text }) => text.includes('"$id"'),
  },
  {
    reason: 'another $schema',
    applies: ({ text }) => /"\$schema":"(?!https:\/\/json-schema\.org\/draft\/2020-12\/schema")/.test(text),
  },
  {
    reason: 'a default that its own schema refuses: it would be filled in',
    applies: ({ text }) => {
      let refuses = false;
      JSON.parse(text, (_, value: unknown) => {
        if (typeof value === 'object' && value !== null && 'default' in value)
          refuses ||= !new Validator(value, '2020-12').validate(value.default).valid;
        return value;
      });
      return refuses;
    },
  },
];

/** What is accepted or refused although the suite expects the opposite, in both directions. */
export const JUDGED: readonly (Difference<SuiteTest> & { readonly accepted: boolean })[] = [
  {
    reason: 'a property __proto__ is refused in JSON',
    accepted: false,
    applies: ({ text }) => text.includes('"__proto__"'),
  },
  {
    reason: 'format is asserted (the format-assertion vocabulary); the suite expects an annotation here',
    accepted: false,
    applies: ({ names: [file, group, name] }) =>
      file === 'format' && !/^i(dn|ri)/.test(group) && name.endsWith('is only an annotation by default'),
  },
  {
    reason: 'the formats of RFC 3987, RFC 5892 and RFC 6531 are annotations (formats.ts)',
    accepted: true,
    applies: ({ names: [file] }) => /^optional\/format\/i(dn-|ri)/.test(file),
  },
  {
    reason: 'of an A-label it is checked that it decodes (UTS 46), but not RFC 5892 appendix A',
    accepted: true,
    applies: ({ names: [file], value }) =>
      file === 'optional/format/hostname' &&
      /^xn--/i.test(String(value)) &&
      !/^(xn--|$)/.test(domainToUnicode(String(value))),
  },
  {
    reason: 'dependencies is no keyword of 2020-12: dependentRequired and dependentSchemas are',
    accepted: true,
    applies: ({ names: [file] }) => file === 'optional/dependencies-compatibility',
  },
];

/**
 * Whether a response was accepted because what its schema does not list was left out of it before it was judged, by design:
 * what was sent is less than the value, and an independent validator accepts it.
 */
export const isCut = ({ text: schema }: SuiteGroup, { text }: SuiteTest, sent: string): boolean =>
  sent.length < JSON.stringify(JSON.parse(text)).length &&
  new Validator(JSON.parse(schema) as object, '2020-12').validate(JSON.parse(sent)).valid;
