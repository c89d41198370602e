import { acceptsAnyQueryParameter } from '../request/serialize';
import { slots, slotSamples } from '../request/slots';
import { withQuery } from '../wire/message';
import {
  authorizedRequest,
  type Case,
  expectRefusal,
  expectSuccessOrOwnRefusal,
  inputCase,
  type OperationContext,
  protocolCases,
} from './case';

/** The presence of parameters, independent of their values. */
export const parameterCases = (context: OperationContext): Case[] => [
  ...allParametersCases(context),
  ...missingParameterCases(context),
  ...unlistedParameterCases(context),
];

/** All parameters in one request. */
function allParametersCases(context: OperationContext): Case[] {
  const { document, oracle, operation, base } = context;
  const parameters = slots(document, operation).filter(({ body }) => !body);
  if (parameters.length === 0) return [];
  const inputs = parameters.reduce((filled, slot) => {
    const [value] = slotSamples(document, oracle, slot, 'all', 10);
    return value === undefined ? filled : slot.fill(filled, value);
  }, base);
  const expect = expectSuccessOrOwnRefusal(context);
  return [inputCase(context, 'valid', 'all parameters', inputs, { handlerInput: { inputs }, expect })];
}

/** The minimal request without one of its required parameters. */
function missingParameterCases(context: OperationContext): Case[] {
  const { operation, base } = context;
  const required = operation.parameters.filter((parameter) => parameter.required && parameter.in !== 'path');
  return required.map((parameter) => {
    const parameters = new Map([...base.parameters].filter(([other]) => other !== parameter));
    const title = `without the required ${parameter.in} parameter ${parameter.name}`;
    return inputCase(
      context,
      'constraints',
      title,
      { ...base, parameters },
      {
        expect: expectRefusal('invalid request'),
        rule: 'missing parameter',
        location: parameter.in,
      },
    );
  });
}

/** A query parameter that the operation does not list. */
function unlistedParameterCases(context: OperationContext): Case[] {
  const { document, operation } = context;
  if (acceptsAnyQueryParameter(document.requests, operation)) return [];
  const taken = [...operation.parameters, ...Object.values(document.schemes)].map(({ name }) => name);
  const name =
    ['unlisted', 'unlisted1', 'unlisted2'].find((candidate) => !taken.includes(candidate)) ?? '__unlisted';
  const make = protocolCases(context, 'constraints');
  const request = withQuery(authorizedRequest(context), `${name}=1`);
  const title = `with the unlisted query parameter ${name}`;
  return [make('unlisted query parameter', title, request, expectRefusal('invalid request'))];
}
