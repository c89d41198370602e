import { parseJson } from '../../../src/contract/json/parse';
import { compileExact, type ExactRule } from '../../../src/contract/schema/exact';

const int64 = { int64: true };
const bound = (keyword: string) => ({ bounds: { [keyword]: '9007199254740993' } });
const must = (keyword: string, message: string, params: object = { limit: 9007199254740993n }) => ({
  keyword,
  params,
  message: `must ${message}`,
});
const NO_INT64 = must('format', 'match format "int64"', { format: 'int64' });

test.each<[ExactRule, text: string, violated: object | undefined]>([
  [int64, '9223372036854775807', undefined],
  [int64, '9223372036854775808', NO_INT64],
  [int64, '-9223372036854775808', undefined],
  [int64, '-9223372036854775809', NO_INT64],
  [int64, '1e300', NO_INT64],
  [{ integer: true }, '9007199254740993.0', undefined],
  [{ integer: true }, '9007199254740993.5', must('type', 'be integer', { type: 'integer' })],
  [bound('minimum'), '9007199254740993', undefined],
  [bound('minimum'), '9007199254740992', must('minimum', 'be >= 9007199254740993')],
  [bound('maximum'), '9007199254740994', must('maximum', 'be <= 9007199254740993')],
  [bound('exclusiveMinimum'), '9007199254740993', must('exclusiveMinimum', 'be > 9007199254740993')],
  [bound('exclusiveMaximum'), '9007199254740993', must('exclusiveMaximum', 'be < 9007199254740993')],
  [{ multipleOf: '0.1' }, '0.3', undefined],
  [{ multipleOf: '0.1' }, '0.35', must('multipleOf', 'be multiple of 0.1', { multipleOf: '0.1' })],
  [{ multipleOf: '2' }, '9007199254740993', must('multipleOf', 'be multiple of 2', { multipleOf: 2 })],
])('by %j, %s violates %j', (rule, text, violated) => {
  const holder: Record<string, unknown> = {};
  parseJson(text, holder, 'value');
  expect(compileExact(rule)(Number(text), holder, 'value')).toEqual(violated);
});
