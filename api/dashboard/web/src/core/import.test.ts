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

test('an amount that has two meanings is asked about, and read with the decimal point that was chosen', () => {
  const read = (amount: string, point?: '.' | ',') => {
    const [row] = rowsOf(
      'offers',
      [{ line: 2, cells: ['A', 'https://a.example/', amount] }],
      ['name', 'url', 'payout'],
      known,
      code => code,
      point,
    )
    return row!.code || (row!.body as { payout: number }).payout
  }
  for (const amount of ['1.234', '1,234', '12.000', '$1,234']) equal(read(amount), 'ambiguous', amount)
  equal(
    ['12', '12.5', '12,50', '0.125', '1234.567'].map(a => read(a)),
    [12, 12.5, 12.5, 0.125, 1234.567],
  )
  equal(
    ['1.234', '1,234', '1,234,567.5', '1,23'].map(a => read(a, '.')),
    [1.234, 1234, 1234567.5, 'invalid_number'],
  )
  equal(
    ['1.234', '1,234', '1.234.567,5', '1.23'].map(a => read(a, ',')),
    [1234, 1.234, 1234567.5, 'invalid_number'],
  )
})

test('the dry run of an import refuses what the service would refuse', () => {
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
