import ts from 'typescript';

/** A list for a sentence: `1, 2 or 3`. */
export const either = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;

/**
 * Says how the responses of a handler differ from the documented ones.
 *
 * @param returned the type of the handler's result
 * @param documented the union of the documented responses
 * @param at the place of the handler, for the types of properties
 * @returns undefined if they do not differ, or in a way that has no sentence
 */
export function responseDifference(
  checker: ts.TypeChecker,
  [returned, documented]: readonly [ts.Type, ts.Type],
  at: ts.Node,
): string | undefined {
  const responses = membersOf(documented);
  for (const response of membersOf(returned)) {
    if (checker.isTypeAssignableTo(response, documented)) continue;
    const status = propertyOf(checker, response, 'status', at);
    if (!status || checker.isTypeAssignableTo(status, checker.getUndefinedType()))
      return `returns ${checker.typeToString(response)}: expected a response with a status`;
    const [fitting, statuses] = ofStatus(checker, status, responses, at);
    // The compiler has them in the order in which it met them.
    const expected = either(statuses.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })));
    if ((status.flags & (ts.TypeFlags.Number | ts.TypeFlags.String)) !== 0)
      return `returns a status of the type ${checker.typeToString(status)}: expected ${expected}, as a type with one value (a literal, or \`as const\`)`;
    if (fitting.length === 0) {
      return `returns the status ${checker.typeToString(status)}, which the document does not have: expected ${expected}, or the status in openapi/`;
    }
    const chosen = ofMediaType(checker, response, fitting, at);
    const difference = chosen && differenceOf(checker, [response, chosen], '', at);
    const where = `with the status ${checker.typeToString(status)}`;
    return difference === undefined
      ? `returns a response ${where} that does not fit`
      : `${where}: ${difference}`;
  }
  return undefined;
}

const membersOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type]);

/** The type of a property; undefined if there is none. */
export function propertyOf(
  checker: ts.TypeChecker,
  type: ts.Type,
  name: string,
  at: ts.Node,
): ts.Type | undefined {
  const property = checker.getPropertyOfType(type, name);
  return property && checker.getTypeOfSymbolAtLocation(property, at);
}

/** The documented responses with a status, and all documented statuses. */
function ofStatus(checker: ts.TypeChecker, status: ts.Type, responses: readonly ts.Type[], at: ts.Node) {
  const known = responses.map((response) => [response, propertyOf(checker, response, 'status', at)] as const);
  const fitting = known.flatMap(([response, has]) =>
    has && checker.isTypeAssignableTo(status, has) ? [response] : [],
  );
  // A range or `default` has a union of statuses.
  const names = known.map(([, has]) =>
    has?.isUnion() ? 'one of a range' : has ? checker.typeToString(has) : '',
  );
  return [fitting, [...new Set(names)]] as const;
}

/** Of the responses for several media types: the one that the handler names, or else the first. */
function ofMediaType(
  checker: ts.TypeChecker,
  response: ts.Type,
  fitting: readonly ts.Type[],
  at: ts.Node,
): ts.Type | undefined {
  const named = propertyOf(checker, response, 'contentType', at);
  const fits = (one: ts.Type) => {
    const has = propertyOf(checker, one, 'contentType', at);
    return named && has && checker.isTypeAssignableTo(named, has);
  };
  return fitting.find(fits) ?? fitting[0];
}

const MAX_DEPTH = 12;

/** Says at which property a type differs from the expected one. */
function differenceOf(
  checker: ts.TypeChecker,
  [got, expected]: readonly [ts.Type, ts.Type],
  place: string,
  at: ts.Node,
  depth = 0,
): string | undefined {
  if (checker.isTypeAssignableTo(got, expected)) return undefined;
  if (place !== '' && checker.getAwaitedType(got) !== got && checker.getAwaitedType(expected) === expected)
    return `${place}: expected a value, got a promise: write await before it`;
  const stream = streamedBy(checker, expected, /^AsyncIterable$/);
  const streamed = streamedBy(checker, got);
  if (stream)
    return streamed
      ? differenceOf(checker, [streamed, stream], `${place}, each item`, at, depth + 1)
      : `${place}: expected a stream of items, got ${checker.typeToString(got)}`;
  const parts = expected.isUnion() ? [] : checker.getPropertiesOfType(expected);
  const isObject =
    (got.flags & ts.TypeFlags.Object) !== 0 && !checker.isArrayType(expected) && parts.length > 0;
  if (isObject && depth < MAX_DEPTH) {
    for (const part of parts) {
      const name = place === '' ? part.name : `${place}/${part.name}`;
      const given = propertyOf(checker, got, part.name, at);
      // In a union of literals, a property that one of them lacks has the type undefined there.
      const has =
        given && (given.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Never)) !== 0 ? undefined : given;
      const wants = checker.getTypeOfSymbolAtLocation(part, at);
      const optional = (part.flags & ts.SymbolFlags.Optional) !== 0;
      if (!has && !optional) return `${name} is missing: expected ${checker.typeToString(wants)}`;
      const difference = has && differenceOf(checker, [has, wants], name, at, depth + 1);
      if (difference !== undefined) return difference;
    }
  }
  const [item, wanted] = [got, expected].map((type) =>
    checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference)[0] : undefined,
  );
  if (item && wanted) return differenceOf(checker, [item, wanted], `${place}/0`, at, depth + 1);
  if (place === '') return undefined;
  return `${place}: expected ${checker.typeToString(expected)}, got ${checker.typeToString(got)}`;
}

/** The type of the items of a stream; undefined if a type is none, or is one of bytes. */
function streamedBy(checker: ts.TypeChecker, type: ts.Type, names = /^(Async\w+|ReadableStream)$/) {
  const stream = membersOf(type).find((one) => names.test(one.getSymbol()?.name ?? ''));
  return stream && checker.getTypeArguments(stream as ts.TypeReference)[0];
}
