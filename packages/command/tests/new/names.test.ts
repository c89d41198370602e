import { camelOf, namesFrom } from '../../src/new/names';

it.each([
  ['Night Shop', { kebab: 'night-shop', pascal: 'NightShop', snake: 'night_shop', mark: 'Nigh' }],
  ['train-travel', { kebab: 'train-travel', pascal: 'TrainTravel', snake: 'train_travel', mark: 'Trai' }],
  ['Café', { kebab: 'cafe', pascal: 'Cafe', snake: 'cafe', mark: 'Cafe' }],
  ['3d', { kebab: 'd', pascal: 'D', snake: 'd', mark: 'D___' }],
  ['Con', { kebab: 'con-service', pascal: 'ConService', snake: 'con_service', mark: 'ConS' }],
  [
    `${'a'.repeat(59)}-b`,
    { kebab: 'a'.repeat(59), pascal: `A${'a'.repeat(58)}`, snake: 'a'.repeat(59), mark: 'Aaaa' },
  ],
  ['storage', { kebab: 'storage-service', pascal: 'StorageService', snake: 'storage_service', mark: 'Stor' }],
])('%s has a name in each form', (given, names) => {
  expect(namesFrom(given, 'A title')).toEqual({ ...names, title: 'A title' });
});

it('a name without letters is none', () => {
  expect(namesFrom('42', 'A title')).toBeUndefined();
});

it.each([
  ['special-events', 'specialEvents'],
  ['listAllEvents', 'listAllEvents'],
  ['2', 'items'],
])('%s is the identifier %s', (text, identifier) => {
  expect(camelOf(text, 'items')).toBe(identifier);
});
