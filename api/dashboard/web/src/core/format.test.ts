import { equal, test } from '../testing.ts'
import { changeOf, isReal } from './figures.ts'
import type { FigureRow } from '../api.gen.ts'
import { amount, count, money, none, percent, short, small } from './format.ts'

test('an unknown value is a dash, never zero; a negative number has a real minus sign', () => {
  for (const f of [count, short, money, small, percent]) equal([f(null), f(undefined), f(0) === none], [none, none, false])
  equal([count(-1234), money(-1.5), percent(-0.5)], ['−1,234', '−$1.50', '−0.50%'])
  equal([small(0.0123), small(1.5), small(0)], ['$0.012', '$1.50', '$0.00'])
})

test('an amount under a cent is shown, and a huge share has no decimals', () => {
  equal([money(0.002), money(-0.00456), money(0.01), money(0)], ['$0.002', '−$0.0046', '$0.01', '$0.00'])
  equal([percent(595138.4, 1), percent(-1000), percent(999.94, 1)], ['595,138%', '−1,000%', '999.9%'])
})

test('a stored amount loses none of its decimals', () => {
  equal([amount('12.5', 'USD'), amount(7.25, 'EUR'), amount('0.012345', 'usd')], ['$12.50', '€7.25', '$0.012345'])
  equal([amount('1234567.123456789012', 'USD'), amount(-3, 'USD')], ['$1,234,567.123456789012', '−$3.00'])
  equal([amount(null, 'USD'), amount('5', ''), amount('5', 'X1')], [none, '5.00', '5.00 X1'])
})

const row = (of: Partial<FigureRow>) =>
  ({ clicks: 0, conversions: 0, revenue: 0, cost: 0, approved: 0, profit: 0, cr: null, ...of }) as FigureRow

test('a change that chance explains is grey', () => {
  equal(changeOf('clicks', row({ clicks: 105 }), row({ clicks: 100 })).tone, 'dim')
  equal(changeOf('clicks', row({ clicks: 200 }), row({ clicks: 100 })).tone, 'good')
  equal(changeOf('clicks', row({ clicks: 100 }), row({ clicks: 200 })).tone, 'bad')
  equal(isReal('cr', row({ clicks: 100, conversions: 3 }), row({ clicks: 100, conversions: 1 })), false)
  equal(isReal('cr', row({ clicks: 10000, conversions: 300 }), row({ clicks: 10000, conversions: 100 })), true)
  equal(changeOf('clicks', row({ clicks: 1 }), undefined).text, '')
})
