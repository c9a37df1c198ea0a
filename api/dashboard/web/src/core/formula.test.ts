import { equal, test } from '../testing.ts'
import type { FigureRow } from '../api.gen.ts'
import { byFormula, formulaOf, formulasOf, formulasText } from './formula.ts'

const row = { clicks: 100, conversions: 4, profit: 10, cost: 20, revenue: 30, lp_clicks: 50, cpa: null } as unknown as FigureRow
const value = (text: string) => formulaOf(text)?.of(row)

test('a formula is calculated for a row', () => {
  equal(value('profit/conversions'), 2.5)
  equal(value('cost / clicks * 1000'), 200)
  equal(value('(revenue - cost) / (clicks + lp_clicks) * 1.5'), 0.1)
  equal(value('-profit + 2'), -8)
  equal(value('revenue - cost - profit'), 0)
})

test('a formula knows whether its result is money', () => {
  for (const [text, money] of [
    ['profit/conversions', true],
    ['cost/clicks*1000', true],
    ['profit/cost', false],
    ['lp_clicks/clicks', false],
    ['revenue-cost', true],
  ] as const)
    equal(formulaOf(text)?.money, money)
})

test('a formula knows figures by the names that people see', () => {
  equal(value('Profit / LP clicks'), 0.2)
  equal(formulaOf('Profit/lp clicks')?.text, 'profit / lp_clicks')
  equal(formulaOf('profit/lp_clicks')?.title, 'Profit / LP clicks')
})

test('a division by zero and a figure without a value have no result', () => {
  equal(value('profit / (clicks - 100)'), null)
  equal(value('cpa + 1'), null)
})

test('a text that is not a formula is refused', () => {
  for (const text of [
    'profit',
    '2*3',
    'profit/',
    'profit conversions',
    '(profit/clicks',
    'profit/clicks)',
    'profits/clicks',
    'profit;clicks',
    '',
  ])
    equal(formulaOf(text), undefined)
  equal(formulaOf('profit+' + '1+'.repeat(60) + '1'), undefined)
})

test('rows are in the order of a formula, and rows without a value come last', () => {
  const rows = [1, 0, 4, 2].map(conversions => ({ ...row, conversions }) as FigureRow),
    formula = formulaOf('profit / conversions')!
  for (const [down, want] of [
    [false, [4, 2, 1, 0]],
    [true, [1, 2, 4, 0]],
  ] as const)
    equal(
      byFormula(rows, formula, down).map(r => r.conversions),
      want,
    )
})

test('formulas are kept in the address', () => {
  const kept = formulasText(formulasOf('profit/conversions,nonsense,cost/clicks*1000'))
  equal(kept, 'profit/conversions,cost/clicks*1000')
  equal(formulasText(formulasOf(kept)), kept)
})
