/** A difference from the suite: a schema is refused at startup, or the result for a value differs. */
export type Where = 'start' | 'request' | 'response';

export interface Disagreement {
  readonly reason: string;
  readonly where: readonly Where[];
  /** The file and group of the schema. If the schema is refused at startup, no tests are listed. */
  readonly tests: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/** Every difference from the suite, with its reason. This list must not grow. */
export const DISAGREEMENTS: readonly Disagreement[] = [
  {
    reason: 'A property __proto__ is refused in JSON, by design.',
    where: ['request', 'response'],
    tests: {
      properties: {
        'properties whose names are Javascript object property names': ['all present and valid'],
      },
      required: { 'required properties whose names are Javascript object property names': ['all present'] },
    },
  },
  {
    reason:
      'Of an A-label it is checked that it decodes (UTS 46), but not the contextual rules of RFC 5892 appendix A.',
    where: ['request', 'response'],
    tests: {
      'optional/format/hostname': {
        'validation of A-label (punycode) host names': [
          'Exceptions that are DISALLOWED, left-to-right chars',
          'Exceptions that are DISALLOWED, right-to-left chars',
          'Greek KERAIA not followed by Greek',
          'Greek KERAIA not followed by anything',
          'Hebrew GERESH not preceded by anything',
          'Hebrew GERSHAYIM not preceded by anything',
          'KATAKANA MIDDLE DOT with no Hiragana, Katakana, or Han',
          'KATAKANA MIDDLE DOT with no other characters',
          "MIDDLE DOT with no following 'l'",
          "MIDDLE DOT with no preceding 'l'",
          'MIDDLE DOT with nothing following',
          'MIDDLE DOT with nothing preceding',
          'contains "--" in the 3rd and 4th position',
          'contains illegal char U+302E Hangul single dot tone mark',
        ],
      },
    },
  },
  {
    reason:
      'The formats idn-email, idn-hostname, iri and iri-reference are annotations, by design (formats.ts).',
    where: ['request', 'response'],
    tests: {
      'optional/format/idn-email': {
        'validation of an internationalized e-mail addresses': [
          'a fullwidth commercial at is not a local-part separator',
          'an invalid e-mail/idn e-mail address',
        ],
      },
      'optional/format/idn-hostname': {
        'validation of internationalized host names': [
          'A-label that decodes to a Bidi rule violation is invalid',
          'A-label that decodes to a disallowed code point is invalid',
          'A-label that decodes to only ASCII is invalid',
          'Arabic-Indic digits mixed with Extended Arabic-Indic digits',
          'Begins with a Nonspacing Mark',
          'Begins with a Spacing Combining Mark',
          'Begins with an Enclosing Mark',
          'Bidi domain name with a digit-first label is invalid',
          'Exceptions that are DISALLOWED, left-to-right chars',
          'Exceptions that are DISALLOWED, right-to-left chars',
          'Greek KERAIA not followed by Greek',
          'Greek KERAIA not followed by anything',
          'Hebrew GERESH not preceded by Hebrew',
          'Hebrew GERESH not preceded by anything',
          'Hebrew GERSHAYIM not preceded by Hebrew',
          'Hebrew GERSHAYIM not preceded by anything',
          'KATAKANA MIDDLE DOT with no Hiragana, Katakana, or Han',
          'KATAKANA MIDDLE DOT with no other characters',
          "MIDDLE DOT with no following 'l'",
          "MIDDLE DOT with no preceding 'l'",
          'MIDDLE DOT with nothing following',
          'MIDDLE DOT with nothing preceding',
          'U-label contains "--" in the 3rd and 4th position',
          'U-label ends with a dash',
          'U-label starts and ends with a dash',
          'U-label starts with a dash',
          'ZERO WIDTH JOINER not preceded by Virama',
          'ZERO WIDTH JOINER not preceded by anything',
          'a U-label whose A-label form is longer than 63 octets is invalid',
          'a name longer than 253 characters is invalid',
          'a single label of 64 characters is too long',
          'contains illegal char U+302E Hangul single dot tone mark',
          'empty label between two dots is invalid',
          'empty string',
          'illegal first char U+302E Hangul single dot tone mark',
          'invalid Punycode',
          'invalid label, correct Punycode',
          'label starting with a digit before a right-to-left letter is invalid',
          'left-to-right label containing a right-to-left letter is invalid',
          'non-canonical Punycode that does not re-encode to itself is invalid',
          'right-to-left label mixing both digit types is invalid',
          'zero width non-joiner must pass at every occurrence',
        ],
        'validation of separators in internationalized host names': [
          'leading dot',
          'leading fullwidth full stop',
          'leading halfwidth ideographic full stop',
          'leading ideographic full stop',
          'single dot',
          'single fullwidth full stop',
          'single halfwidth ideographic full stop',
          'single ideographic full stop',
          'trailing dot',
          'trailing fullwidth full stop',
          'trailing halfwidth ideographic full stop',
          'trailing ideographic full stop',
        ],
      },
      'optional/format/iri': {
        'validation of IRIs': [
          'a trailing newline after a valid IRI is invalid',
          'an IPv6 address without enclosing brackets is invalid',
          'an IPv6 host whose embedded IPv4 has a leading zero is invalid',
          'an invalid IRI',
          'an invalid IRI though valid IRI reference',
          'an invalid relative IRI Reference',
        ],
      },
      'optional/format/iri-reference': {
        'validation of IRI References': ['an invalid IRI Reference', 'an invalid IRI fragment'],
      },
    },
  },
  {
    reason: 'dependencies is no keyword of 2020-12: dependentRequired and dependentSchemas are.',
    where: ['request', 'response'],
    tests: {
      'optional/dependencies-compatibility': {
        'boolean subschemas': [
          'object with both properties is invalid',
          'object with property having schema false is invalid',
        ],
        'dependencies with escaped characters': ['CRLF missing dependent', 'quoted quotes missing dependent'],
        'multiple dependents required': [
          'missing both dependencies',
          'missing dependency',
          'missing other dependency',
        ],
        'schema dependencies with escaped characters': [
          'quoted quote',
          'quoted quote invalid under dependent schema',
          'quoted tab invalid under dependent schema',
        ],
        'single dependency': ['missing dependency'],
        'single schema dependency': ['wrong type', 'wrong type both', 'wrong type other'],
      },
    },
  },
  {
    reason:
      'format is asserted, by design (the format-assertion vocabulary); the suite expects an annotation here.',
    where: ['request', 'response'],
    tests: {
      format: {
        'date format': ['invalid date string is only an annotation by default'],
        'date-time format': ['invalid date-time string is only an annotation by default'],
        'duration format': ['invalid duration string is only an annotation by default'],
        'email format': ['invalid email string is only an annotation by default'],
        'hostname format': ['invalid hostname string is only an annotation by default'],
        'ipv4 format': ['invalid ipv4 string is only an annotation by default'],
        'ipv6 format': ['invalid ipv6 string is only an annotation by default'],
        'json-pointer format': ['invalid json-pointer string is only an annotation by default'],
        'regex format': ['invalid regex string is only an annotation by default'],
        'relative-json-pointer format': [
          'invalid relative-json-pointer string is only an annotation by default',
        ],
        'time format': ['invalid time string is only an annotation by default'],
        'uri format': ['invalid uri string is only an annotation by default'],
        'uri-reference format': ['invalid uri-reference string is only an annotation by default'],
        'uri-template format': ['invalid uri-template string is only an annotation by default'],
        'uuid format': ['invalid uuid string is only an annotation by default'],
      },
    },
  },
  {
    reason:
      'Properties that a schema does not list are left out of a response before it is judged, by design.',
    where: ['response'],
    tests: {
      additionalProperties: {
        'dependentSchemas with additionalProperties': [
          "additionalProperties can't see bar",
          "additionalProperties doesn't consider dependentSchemas",
        ],
      },
      ref: { 'root pointer ref': ['mismatch', 'recursive mismatch'] },
      unevaluatedProperties: {
        'Evaluated properties collection needs to consider instance location': [
          'with an unevaluated property that exists at another location',
        ],
        'Evaluated properties collection needs to consider instance location with additionalProperties': [
          'with an unevaluated property that exists at another location',
        ],
        'Evaluated properties collection needs to consider instance location with patternProperties': [
          'with an unevaluated property that exists at another location',
        ],
        'dependentSchemas with unevaluatedProperties': [
          "unevaluatedProperties doesn't consider dependentSchemas",
          "unevaluatedProperties doesn't see bar when foo2 is absent",
        ],
        'unevaluatedProperties + single cyclic ref': [
          'Unevaluated on 1st level is invalid',
          'Unevaluated on 2nd level is invalid',
          'Unevaluated on 3rd level is invalid',
        ],
        'unevaluatedProperties before $ref': ['with unevaluated properties'],
        'unevaluatedProperties with $ref': ['with unevaluated properties'],
        'unevaluatedProperties with adjacent properties': ['with unevaluated properties'],
        'unevaluatedProperties with anyOf': [
          'when one matches and has unevaluated properties',
          'when two match and has unevaluated properties',
        ],
        'unevaluatedProperties with boolean schemas': ['with unevaluated properties'],
        'unevaluatedProperties with dependentSchemas': ['with unevaluated properties'],
        'unevaluatedProperties with if/then/else': [
          'when if is false and has unevaluated properties',
          'when if is true and has unevaluated properties',
        ],
        'unevaluatedProperties with if/then/else, else not defined': [
          'when if is true and has unevaluated properties',
        ],
        'unevaluatedProperties with if/then/else, then not defined': [
          'when if is false and has unevaluated properties',
          'when if is true and has unevaluated properties',
        ],
        'unevaluatedProperties with nested properties': ['with additional properties'],
        'unevaluatedProperties with oneOf': ['with unevaluated properties'],
      },
    },
  },
  {
    reason: '$dynamicRef and $dynamicAnchor are refused at start, by design: $ref and $anchor are served.',
    where: ['start'],
    tests: {
      dynamicRef: {
        '$dynamicRef avoids the root of each schema, but scopes are still registered': [],
        '$dynamicRef points to a boolean schema': [],
        '$dynamicRef skips over intermediate resources - direct reference': [],
        '$ref and $dynamicAnchor are independent of order - $defs first': [],
        '$ref and $dynamicAnchor are independent of order - $ref first': [],
        'A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated':
          [],
        'A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope':
          [],
        'A $dynamicRef that initially resolves to a schema without a matching $dynamicAnchor behaves like a normal $ref to $anchor':
          [],
        'A $dynamicRef to a $dynamicAnchor in the same schema resource behaves like a normal $ref to an $anchor':
          [],
        'A $dynamicRef to an $anchor in the same schema resource behaves like a normal $ref to an $anchor':
          [],
        'A $dynamicRef with a non-matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor':
          [],
        "A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution":
          [],
        'A $dynamicRef without a matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor':
          [],
        'A $dynamicRef without anchor in fragment behaves identical to $ref': [],
        'A $ref to a $dynamicAnchor in the same schema resource behaves like a normal $ref to an $anchor': [],
        'An $anchor with the same name as a $dynamicAnchor is not used for dynamic scope resolution': [],
        'after leaving a dynamic scope, it is not used by a $dynamicRef': [],
        'multiple dynamic paths to the $dynamicRef keyword': [],
        'strict-tree schema, guards against misspelled properties': [],
        'tests for implementation dynamic anchor and reference link': [],
      },
      'optional/dynamicRef': {
        '$dynamicRef skips over intermediate resources - pointer reference across resource boundary': [],
      },
      unevaluatedItems: { 'unevaluatedItems with $dynamicRef': [] },
      unevaluatedProperties: { 'unevaluatedProperties with $dynamicRef': [] },
    },
  },
  {
    reason:
      'A reference to another document is refused at start, by design: the toolchain bundles documents before that.',
    where: ['start'],
    tests: {
      defs: { 'validate definition against metaschema': [] },
      dynamicRef: { '$ref to $dynamicRef finds detached $dynamicAnchor': [] },
      'optional/cross-draft': { 'refs to historic drafts are processed as historic drafts': [] },
      ref: { 'remote ref, containing refs itself': [] },
      refRemote: {
        '$ref to $ref finds detached $anchor': [],
        'Location-independent identifier in remote ref': [],
        'anchor within remote ref': [],
        'fragment within remote ref': [],
        'ref within remote ref': [],
        'remote HTTP ref with different $id': [],
        'remote HTTP ref with different URN $id': [],
        'remote HTTP ref with nested absolute ref': [],
        'remote ref': [],
      },
    },
  },
  {
    reason: 'An $id is refused at start, by design: the base URI of a schema is that of its document.',
    where: ['start'],
    tests: {
      anchor: {
        'Location-independent identifier with absolute URI': [],
        'Location-independent identifier with base URI change in subschema': [],
        'same $anchor with different base uri': [],
      },
      'optional/format-assertion': {
        'schema that uses custom metaschema with format-assertion: false': [],
        'schema that uses custom metaschema with format-assertion: true': [],
      },
      'optional/id': { '$id inside an enum is not a real identifier': [] },
      'optional/unknownKeyword': { '$id inside an unknown keyword is not a real identifier': [] },
      ref: {
        '$id must be resolved against nearest parent, not just immediate parent': [],
        '$id with file URI still resolves pointers - *nix': [],
        '$id with file URI still resolves pointers - windows': [],
        'Recursive references between schemas': [],
        'URN base URI with NSS': [],
        'URN base URI with URN and JSON pointer ref': [],
        'URN base URI with URN and anchor ref': [],
        'URN base URI with q-component': [],
        'URN base URI with r-component': [],
        'URN ref with nested pointer ref': [],
        'order of evaluation: $id and $anchor and $ref': [],
        'order of evaluation: $id and $ref': [],
        'order of evaluation: $id and $ref on nested schema': [],
        'ref to else': [],
        'ref to if': [],
        'ref to then': [],
        'ref with absolute-path-reference': [],
        'refs with relative uris and defs': [],
        'relative refs with absolute uris and defs': [],
        'simple URN base URI with $ref via the URN': [],
        'simple URN base URI with JSON pointer': [],
      },
      refRemote: {
        'base URI change': [],
        'base URI change - change folder': [],
        'base URI change - change folder in subschema': [],
        'remote ref with ref to defs': [],
        'retrieved nested refs resolve relative to their URI not $id': [],
        'root ref in remote ref': [],
      },
      vocabulary: { 'schema that uses custom metaschema with with no validation vocabulary': [] },
    },
  },
  {
    reason: 'Another $schema is refused at start, by design.',
    where: ['start'],
    tests: { vocabulary: { 'ignore unrecognized optional vocabulary': [] } },
  },
  {
    reason: 'A default that its own schema refuses is refused at start, by design: it would be filled in.',
    where: ['start'],
    tests: {
      default: {
        'invalid string value for default': [],
        'invalid type for default': [],
        'the default keyword does not do anything if the property is missing': [],
      },
    },
  },
];
