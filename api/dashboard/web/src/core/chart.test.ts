import { askFor, equal, test } from '../testing.ts'
import type { Performance, PerformanceRow } from '../api.gen.ts'
import { chartFigure, kindsOf, linesOf, sharesOf, topOf } from './chart.ts'
import { inOrder, orderAt } from './report.ts'

const row = (dims: Record<string, string>, of: Partial<PerformanceRow> = {}) => ({ dims, clicks: 0, profit: 0, ...of }) as PerformanceRow
const names = (rows: PerformanceRow[], d: string) => rows.map(r => r.dims[d])

test('times are in ascending order and everything else starts with the most clicks, unless a column is chosen', () => {
  const tree = askFor({ group: ['campaign_id', 'date'] })
  equal([orderAt(tree, 0), orderAt(tree, 1)], ['-clicks', 'date'])
  equal([orderAt({ ...tree, sort: '-profit' }, 0), orderAt({ ...tree, sort: '-profit' }, 1)], ['-profit', '-profit'])
  equal([orderAt({ ...tree, sort: '-campaign_id' }, 0), orderAt({ ...tree, sort: '-campaign_id' }, 1)], ['-campaign_id', '-date'])
})

test('rows by name are in the order of what is shown, in both directions, and unknown values come last', () => {
  const rows = ['', 'DE', 'US', 'AT'].map(country => row({ country }))
  equal(names(inOrder(rows, askFor({ sort: 'country' }), ['country'], 0, {}), 'country'), ['AT', 'DE', 'US', ''])
  equal(names(inOrder(rows, askFor({ sort: '-country' }), ['country'], 0, {}), 'country'), ['US', 'DE', 'AT', ''])
  equal(names(inOrder(rows, askFor({}), ['country'], 0, {}), 'country'), ['', 'DE', 'US', 'AT'])
  const named = ['b', 'a', 'c'].map(id => row({ campaign_id: id })),
    labels = { campaign_id: { a: 'Zone 10', b: 'Zone 9', c: 'Alpha' } }
  equal(names(inOrder(named, askFor({ group: ['campaign_id'], sort: 'campaign_id' }), ['campaign_id'], 0, labels), 'campaign_id'), [
    'c',
    'b',
    'a',
  ])
})

test('a chart shows the largest amounts, also losses; for a ratio it shows the rows with the most clicks', () => {
  const rows = [
    row({ country: 'DE' }, { clicks: 5, profit: 3, roi: 900 }),
    row({ country: 'US' }, { clicks: 50, profit: -9, roi: -20 }),
    row({ country: 'AT' }, { clicks: 20, profit: 4, roi: 1 }),
  ]
  equal(names(topOf(rows, 'profit', 2), 'country'), ['US', 'AT'])
  equal(names(topOf(rows, 'roi', 1), 'country'), ['US'])
  const data = { rows, totals: { clicks: 100, profit: -2 } } as Performance
  equal(sharesOf(data, topOf(rows, 'clicks', 2), 'clicks'), { of: [0.5, 0.2], others: 0.30000000000000004 })
  equal([sharesOf(data, rows, 'profit'), sharesOf(data, rows, 'roi')], [null, null])
})

test('only countries have a map, and time has bars alone', () => {
  equal(kindsOf(askFor({})), ['bars', 'lines', 'share', 'map'])
  equal(kindsOf(askFor({ group: ['date', 'country'] })), ['bars'])
  equal(kindsOf(askFor({ group: ['os', 'country'], flat: true })), ['bars', 'lines', 'share'])
  equal(
    [chartFigure(askFor({ sort: '-cost' }), null), chartFigure(askFor({}), null), chartFigure(askFor({}), 'epc')],
    ['cost', 'profit', 'epc'],
  )
})

test('at a moment without a row, a line of sums is zero and a line of ratios has no value', () => {
  const rows = [row({ country: 'DE', date: '2' }, { clicks: 7, roi: 5 }), row({ country: 'FR', date: '1' }, { clicks: 1 })]
  equal(linesOf(rows, ['country'], 'date', ['["DE"]'], ['1', '2'], 'clicks'), [[0, 7]])
  equal(linesOf(rows, ['country'], 'date', ['["DE"]'], ['1', '2'], 'roi'), [[null, 5]])
})
