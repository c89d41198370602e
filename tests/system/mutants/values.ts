import contract from '../../../generated/openapi.json';
import { body, document, mutant, store, type Mutant } from './parts';

const PLANT = '/components/schemas/Plant';
const REST = '/components/schemas/NewPlant/allOf/1';
const OPERATION = '/paths/~1plants/post';

export const requests: readonly Mutant[] = [
  mutant('valid', 'unlisted properties are passed on', {
    pass: ({ body, ...rest }) => ({ ...rest, body: { ...(body as object), unlisted: ['whatever'] } }),
  }),
  mutant(
    'constraints',
    'bodies are not validated',
    document(`${OPERATION}/requestBody/content`, (content) => {
      content['application/json'] = { schema: {} };
    }),
  ),
  mutant(
    'constraints',
    'name is no longer required',
    document(PLANT, (plant) => delete plant['required']),
  ),
  mutant(
    'constraints',
    'id is no longer required',
    document(REST, (rest) => delete rest['required']),
  ),
  mutant(
    'constraints',
    'name may be a number too',
    document(`${PLANT}/properties/name`, (name) => (name['type'] = ['string', 'number'])),
  ),
  mutant(
    'constraints',
    'name may be null',
    document(`${PLANT}/properties/name`, (name) => (name['type'] = ['string', 'null'])),
  ),
  mutant(
    'constraints',
    'tag may be anything',
    document(`${PLANT}/properties/tag`, (tag) => delete tag['type']),
  ),
  mutant(
    'constraints',
    'id may be a string',
    document(`${REST}/properties/id`, (id) => (id['type'] = ['integer', 'string'])),
  ),
  mutant(
    'constraints',
    'id may be a fraction',
    document(`${REST}/properties/id`, (id) => {
      id['type'] = 'number';
      delete id['format'];
    }),
  ),
  mutant(
    'constraints',
    'a body need not be an object',
    document('/components/schemas', (schemas) => {
      delete (schemas['Plant'] as Record<string, unknown>)['type'];
      schemas['NewPlant'] = { anyOf: [schemas['NewPlant'] ?? {}, { type: 'array' }] };
    }),
  ),
  mutant(
    'constraints',
    'strings of digits are taken for numbers',
    body((text) => text.replace(/"id":"(\d+)"/, '"id":$1')),
  ),
  mutant(
    'constraints',
    'int64 is not checked',
    document(`${REST}/properties/id`, (id) => delete id['format']),
  ),
  mutant(
    ['constraints', 'valid'],
    'int64 is checked as int32',
    document(`${REST}/properties/id`, (id) => (id['format'] = 'int32')),
  ),
  mutant(
    'scenarios',
    'ids are rounded to doubles',
    store((sound, plant) => sound.create({ ...plant, id: BigInt(Number(plant.id)) })),
  ),
  mutant(
    'valid',
    'ids beyond 2^53 reach a database that cannot take them',
    store((sound, plant) =>
      plant.id === BigInt.asIntN(54, plant.id)
        ? sound.create(plant)
        : Promise.reject(new RangeError('out of range')),
    ),
  ),
  mutant(
    'constraints',
    'the first branch of allOf is ignored',
    document('/components/schemas/NewPlant', (plant) => {
      plant['allOf'] = [
        { properties: contract.components.schemas.Plant.properties },
        contract.components.schemas.NewPlant.allOf[1] ?? {},
      ];
    }),
  ),
  mutant(
    'constraints',
    'the second branch of allOf is ignored',
    document('/components/schemas/NewPlant', (plant) => {
      plant['allOf'] = [contract.components.schemas.NewPlant.allOf[0] ?? {}];
    }),
  ),
  mutant(
    'constraints',
    'an empty name is refused',
    document(`${PLANT}/properties/name`, (name) => (name['minLength'] = 1)),
  ),
  mutant(
    'constraints',
    'a long name is refused',
    document(`${PLANT}/properties/name`, (name) => (name['maxLength'] = 255)),
  ),
  mutant(
    'constraints',
    'U+0000 is refused',
    document(`${PLANT}/properties/name`, (name) => (name['pattern'] = '^[^\\u0000]*$')),
  ),
  mutant(
    'constraints',
    'negative ids are refused',
    document(`${REST}/properties/id`, (id) => (id['minimum'] = 0)),
  ),
  mutant(
    'valid',
    'unlisted properties are refused',
    document('/components/schemas/NewPlant', (plant) => (plant['unevaluatedProperties'] = false)),
  ),
  mutant(
    'valid',
    'tag is required',
    document(PLANT, (plant) => (plant['required'] = ['name', 'tag'])),
  ),
];
