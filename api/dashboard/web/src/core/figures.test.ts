import { equal, test } from '../testing.ts'
import type { FigureRow } from '../api.gen.ts'
import { changeOf, isCounted, restOf, totalsOf } from './figures.ts'

const row = (of: Partial<FigureRow>) => of as FigureRow
const clicks = (now: number, was: number, digits = 0) => changeOf('clicks', row({ clicks: now }), row({ clicks: was }), digits).text
const cr = (now: number, was: number) => changeOf('cr', row({ cr: now }), row({ cr: was })).text

test('a change that rounds to zero has no sign', () => {
  equal([clicks(997, 1000), clicks(1003, 1000), clicks(997, 1000, 1), clicks(1003, 1000, 1)], ['0%', '0%', '−0.3%', '+0.3%'])
  equal([cr(2.001, 2.004), cr(2.1, 2), cr(2, 2.1)], ['0.00 pt', '+0.10 pt', '−0.10 pt'])
})

test('ratios of totals are computed from the sums. The divisor of cpa is approved plus pending. A division by zero gives null', () => {
  const sums = totalsOf([
    row({ clicks: 100, conversions: 3, approved: 1, pending: 2, rejected: 1, cost: 6, revenue: 9, profit: 3, roi: 50 }),
    row({ clicks: 100, conversions: 1, approved: 1, rejected: 3, cost: 2, revenue: 1, profit: -1, roi: -50 }),
  ])
  equal([sums.clicks, sums.cr, sums.cpa, sums.roi, sums.approve_rate], [200, 2, 2, 25, 25])
  equal([sums.lp_ctr, totalsOf([row({ profit: 5 })]).roi], [null, null])
})

test('the rest is the part of the totals that the rows do not contain, without rounding errors', () => {
  const rows = [row({ clicks: 2, cost: 0.1, revenue: 1, profit: 0.9 }), row({ clicks: 1, cost: 0.2, revenue: 0, profit: -0.2 })]
  equal(restOf(row({ clicks: 10, profit: 0.4 }), rows), { clicks: 7, profit: -0.3 })
  equal(restOf(row({ clicks: 3, profit: 0.7 }), rows), { clicks: 0, profit: 0 })
})

test('a row is counted if one of the given figures is neither zero nor missing', () => {
  equal(isCounted(row({ clicks: 0, cost: 0, cr: null }), ['clicks', 'cost', 'cr']), false)
  equal(isCounted(row({ clicks: 0, cost: 1, cr: null }), ['clicks', 'cost', 'cr']), true)
})
