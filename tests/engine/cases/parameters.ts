import { protocolKey } from '../ledger';
import { takesAnyQuery } from '../parameters';
import { slots, slotSamples } from '../request';
import { admitted, authorised, refused, type Case, type Context } from './case';

/** Every case about which parameters there are, whatever stands in them. */
export const parameterCases = (context: Context): Case[] => [
  ...togetherCases(context),
  ...unlistedCases(context),
];

/** One query parameter that the operation does not list. */
function unlistedCases(context: Context): Case[] {
  const { document, operation } = context;
  if (takesAnyQuery(document.requests, operation)) return [];
  const taken = [...operation.parameters, ...Object.values(document.schemes)].map(({ name }) => name);
  const name = ['unlisted', 'unlisted1', 'unlisted2'].find((one) => !taken.includes(one)) ?? '__unlisted';
  const request = authorised(context);
  const joint = request.target.includes('?') ? '&' : '?';
  return [
    {
      family: 'constraints',
      title: `with the query parameter ${name}, which is not listed`,
      operation,
      request: { ...request, target: `${request.target}${joint}${name}=1` },
      expect: refused('invalid request'),
      proves: [protocolKey(operation, 'unlisted query parameter')],
    },
  ];
}

/** All parameters at once, and each required one left out. */
function togetherCases(context: Context): Case[] {
  const { document, oracle, operation, base } = context;
  const parameters = slots(document, operation).filter(({ body }) => !body);
  if (parameters.length === 0) return [];
  const all = parameters.reduce((inputs, slot) => {
    const [value] = slotSamples(document, oracle, slot, 'all', 10);
    return value === undefined ? inputs : slot.fill(inputs, value);
  }, base);
  const left = operation.parameters.filter((parameter) => parameter.required && parameter.in !== 'path');
  return [
    {
      family: 'valid',
      title: 'all parameters',
      operation,
      request: authorised(context, all),
      delivers: { inputs: all },
      expect: admitted(context),
      proves: [],
    },
    ...left.map((parameter): Case => {
      const others = new Map([...base.parameters].filter(([other]) => other !== parameter));
      const request = authorised(context, { ...base, parameters: others });
      const title = `without the required ${parameter.in} parameter ${parameter.name}`;
      return {
        family: 'constraints',
        title,
        operation,
        request,
        expect: refused('invalid request'),
        proves: [],
      };
    }),
  ];
}
