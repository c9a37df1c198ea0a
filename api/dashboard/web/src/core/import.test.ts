import { equal, test } from '../testing.ts'
import { rowsOf, type Kind, type Known } from './import.ts'

const known: Known = { offers: [], links: [], networks: [], sources: [], domains: [], domain: 'one', currency: 'USD' }
const codes = (kind: Kind, at: string[], ...rows: string[][]) =>
  rowsOf(
    kind,
    rows.map((cells, i) => ({ line: i + 2, cells })),
    at,
    known,
    code => code,
  ).map(r => r.code)

test('the dry run of an import refuses what the service would', () => {
  const url = 'https://a.example/'
  const offer = (country: string, to = url) => [country + to, to, country]
  equal(codes('offers', ['name', 'url', 'country'], offer('de'), offer(''), offer('X1'), offer('DEU'), offer('DE', 'https://{sub1}/')), [
    '',
    '',
    'invalid_country',
    'invalid_country',
    'invalid_url',
  ])
  equal(codes('links', ['slug', 'destination_url'], ['summer-24', url], ['a b', url], ['x'.repeat(65), url]), [
    '',
    'invalid_slug',
    'invalid_slug',
  ])
})
