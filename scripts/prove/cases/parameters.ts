import { acceptsAnyQueryParameter } from '../request/styles';
import { slots, slotSamples } from '../request/slots';
import { withQuery } from '../wire/message';
import {
  authorizedRequest,
  type Case,
  expectRefusal,
  expectSuccessOrOwnRefusal,
  type OperationContext,
  protocolCase,
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
  return [
    {
      family: 'valid',
      title: 'all parameters',
      operation,
      request: authorizedRequest(context, inputs),
      handlerInput: { inputs },
      expect: expectSuccessOrOwnRefusal(context),
      proves: [],
    },
  ];
}

/** The minimal request without one of its required parameters. */
function missingParameterCases(context: OperationContext): Case[] {
  const { operation, base } = context;
  const required = operation.parameters.filter((parameter) => parameter.required && parameter.in !== 'path');
  return required.map((parameter) => {
    const others = new Map([...base.parameters].filter(([other]) => other !== parameter));
    return {
      family: 'constraints',
      title: `without the required ${parameter.in} parameter ${parameter.name}`,
      operation,
      request: authorizedRequest(context, { ...base, parameters: others }),
      expect: expectRefusal('invalid request'),
      rule: 'missing parameter',
      location: parameter.in,
      proves: [],
    };
  });
}

/** A query parameter that the operation does not list. */
function unlistedParameterCases(context: OperationContext): Case[] {
  const { document, operation } = context;
  if (acceptsAnyQueryParameter(document.requests, operation)) return [];
  const taken = [...operation.parameters, ...Object.values(document.schemes)].map(({ name }) => name);
  const name =
    ['unlisted', 'unlisted1', 'unlisted2'].find((candidate) => !taken.includes(candidate)) ?? '__unlisted';
  return [
    protocolCase(
      context,
      'constraints',
      'unlisted query parameter',
      `with the unlisted query parameter ${name}`,
      withQuery(authorizedRequest(context), `${name}=1`),
      expectRefusal('invalid request'),
    ),
  ];
}
