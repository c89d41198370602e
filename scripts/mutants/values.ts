import contract from '../../generated/openapi.json';
import { body, document, mutants, store } from './parts';

const PLANT = '/components/schemas/Plant';
const REST = '/components/schemas/NewPlant/allOf/1';
const OPERATION = '/paths/~1plants/post';

export const requests = mutants({
  valid: {
    'unlisted properties are passed on': {
      pass: ({ body, ...rest }) => ({ ...rest, body: { ...(body as object), unlisted: ['whatever'] } }),
    },
    'ids beyond 2^53 reach a database that cannot take them': store((sound, plant) =>
      plant.id === BigInt.asIntN(54, plant.id)
        ? sound.create(plant)
        : Promise.reject(new RangeError('out of range')),
    ),
    'unlisted properties are refused': document(
      '/components/schemas/NewPlant',
      (plant) => (plant['unevaluatedProperties'] = false),
    ),
    'tag is required': document(PLANT, (plant) => (plant['required'] = ['name', 'tag'])),
  },
  constraints: {
    'bodies are not validated': document(`${OPERATION}/requestBody/content`, (content) => {
      content['application/json'] = { schema: {} };
    }),
    'name is no longer required': document(PLANT, (plant) => delete plant['required']),
    'id is no longer required': document(REST, (rest) => delete rest['required']),
    'name may be a number too': document(
      `${PLANT}/properties/name`,
      (name) => (name['type'] = ['string', 'number']),
    ),
    'name may be null': document(`${PLANT}/properties/name`, (name) => (name['type'] = ['string', 'null'])),
    'tag may be anything': document(`${PLANT}/properties/tag`, (tag) => delete tag['type']),
    'id may be a string': document(`${REST}/properties/id`, (id) => (id['type'] = ['integer', 'string'])),
    'id may be a fraction': document(`${REST}/properties/id`, (id) => {
      id['type'] = 'number';
      delete id['format'];
    }),
    'a body need not be an object': document('/components/schemas', (schemas) => {
      delete (schemas['Plant'] as Record<string, unknown>)['type'];
      schemas['NewPlant'] = { anyOf: [schemas['NewPlant'] ?? {}, { type: 'array' }] };
    }),
    'strings of digits are taken for numbers': body((text) => text.replace(/"id":"(\d+)"/, '"id":$1')),
    'int64 is not checked': document(`${REST}/properties/id`, (id) => delete id['format']),
    'the first branch of allOf is ignored': document('/components/schemas/NewPlant', (plant) => {
      plant['allOf'] = [
        { properties: contract.components.schemas.Plant.properties },
        contract.components.schemas.NewPlant.allOf[1] ?? {},
      ];
    }),
    'the second branch of allOf is ignored': document('/components/schemas/NewPlant', (plant) => {
      plant['allOf'] = [contract.components.schemas.NewPlant.allOf[0] ?? {}];
    }),
    'an empty name is refused': document(`${PLANT}/properties/name`, (name) => (name['minLength'] = 1)),
    'a long name is refused': document(`${PLANT}/properties/name`, (name) => (name['maxLength'] = 255)),
    'U+0000 is refused': document(`${PLANT}/properties/name`, (name) => (name['pattern'] = '^[^\\u0000]*$')),
    'negative ids are refused': document(`${REST}/properties/id`, (id) => (id['minimum'] = 0)),
  },
  'constraints, valid': {
    'int64 is checked as int32': document(`${REST}/properties/id`, (id) => (id['format'] = 'int32')),
  },
  scenarios: {
    'ids are rounded to doubles': store((sound, plant) =>
      sound.create({ ...plant, id: BigInt(Number(plant.id)) }),
    ),
  },
});
