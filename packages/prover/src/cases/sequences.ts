import { essenceOf } from '../document/media';
import { print, type Value } from '../json/value';
import { ruleKey } from '../obligation';
import { linesOf } from '../request/encodings';
import { fitsSlot, type Slot, slots, slotSamples, slotValidity } from '../request/slots';
import { instanceLocations, probes } from '../schema/probes';
import {
  authorizedRequest,
  type Case,
  expectRefusal,
  expectSuccessOrOwnRefusal,
  handlerInput,
  inputCase,
  type OperationContext,
} from './case';
import { expectInvalid, fault } from './keyword-cases';

/** The items of each sequence of JSON texts: one that is wrong in each place, and how they are written. */
export const sequenceCases = (context: OperationContext): Case[] =>
  slots(context.document, context.operation)
    .filter(({ codec }) => codec === 'lines')
    .flatMap((slot) => {
      const [first] = slotSamples(context.document, context.oracle, slot, 'all', 20).flat();
      const items = first === undefined ? [] : [first, first, first];
      return fitsSlot(context.oracle, slot, items)
        ? [...wrongItems(context, slot, items), ...writtenItems(context, slot, items)]
        : [];
    });

/** The same fault in each place. */
function wrongItems(context: OperationContext, slot: Slot, items: readonly Value[]): Case[] {
  const { document, oracle } = context;
  const [probe] = probes(instanceLocations(document.requests, oracle, slot.schema, items.slice(0, 1))).filter(
    ({ side, value }) => side === 'violates' && slotValidity(oracle, slot, value) === 'invalid',
  );
  const [wrong] = probe && Array.isArray(probe.value) ? probe.value : [];
  if (!probe || wrong === undefined) return [];
  return items.map((_, index) => {
    const value = items.with(index, wrong);
    const title = `${slot.label}: item ${index} of ${items.length} is wrong: ${print(wrong)}`;
    return inputCase(context, 'constraints', title, slot.fill(context.base, value), {
      ...fault(context, slot, value),
      expect: expectInvalid(probe.replacement),
    });
  });
}

/** Sequences that a strict reader refuses, and unusual ones that it accepts. */
function writtenItems(context: OperationContext, slot: Slot, items: readonly Value[]): Case[] {
  const type = slot.body?.type ?? '';
  const isLines = !essenceOf(type).endsWith('json-seq');
  const texts = items.map(print);
  const [text = ''] = texts;
  const body = linesOf(type, texts);
  const inputs = slot.fill(context.base, [...items]);
  const request = authorizedRequest(context, inputs);
  const make = (scenario: 'unusual items' | 'malformed items', title: string, sent: Buffer): Case =>
    inputCase(context, 'bodies', `${slot.label}: ${title}`, inputs, {
      request: { ...request, body: sent },
      ...(scenario === 'unusual items' ? handlerInput(context, slot, [...items]) : {}),
      expect: scenario === 'unusual items' ? expectSuccessOrOwnRefusal(context) : expectRefusal('malformed'),
      rule: scenario,
      proves: [ruleKey(context.operation, 'protocol', scenario)],
    });
  return [
    make(
      'unusual items',
      'white space around the items',
      linesOf(
        type,
        texts.map((one) => ` ${one}\t`),
      ),
    ),
    ...(isLines
      ? [
          make(
            'unusual items',
            'lines that end with CR LF',
            linesOf(
              type,
              texts.map((one) => `${one}\r`),
            ),
          ),
          make('unusual items', 'no line break at the end', body.subarray(0, -1)),
        ]
      : []),
    make('malformed items', 'the second item is not JSON', linesOf(type, [text, 'x', text])),
    make('malformed items', 'the last item is cut', linesOf(type, [text, '{"a":'])),
    make('malformed items', 'two texts in one item', linesOf(type, [text, `${text} ${text}`])),
  ];
}
