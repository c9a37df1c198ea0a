import { askFor, equal, test } from '../testing.ts'
import { boundsOf, isOfSales, orderAt, questionOf, textOf, valueText } from './report.ts'

test('conditions on figures do not change when they are written into the address and read again', () => {
  for (const text of ['', 'profit<0', 'roi>=-12.5,cost>10,clicks<=3', 'epc<0.000001', 'cost>999999999999'])
    equal(textOf(boundsOf(text)), text)
})

test('what is no condition on a figure is left out', () => {
  equal(textOf(boundsOf('profits<0,profit=1,cost>,roi>x,profit<1e9,cost>=2')), 'cost>=2')
})

test('there are at most ten conditions', () => {
  equal(boundsOf(Array(12).fill('clicks>1').join()).length, 10)
})

test('a query selects only conversions if it has a filter by goals or by statuses without the empty value', () => {
  for (const [query, want] of [
    [{ 'f.status': ['approved'] }, true],
    [{ 'f.goal': ['lead', '(plain)'], 'f.country': [''] }, true],
    [{ 'f.goal': [''] }, false],
    [{ 'f.status': ['approved', ''] }, false],
    [{ 'x.status': ['approved'] }, false],
    [{ 'f.country': ['DE'] }, false],
  ] as const)
    equal(isOfSales(query as unknown as Record<string, string[]>), want)
})

test('goals and statuses have names, and all clicks are in a row of their own', () => {
  equal(
    ['approved', 'chargeback', ''].map(v => valueText('status', v, {})),
    ['Approved', 'Chargebacks', 'All clicks and costs'],
  )
  equal(
    ['lead', '(plain)', ''].map(v => valueText('goal', v, {})),
    ['lead', 'Conversion without a goal', 'All clicks and costs'],
  )
})

test('a goal named like the mark of conversions without a goal has one more parenthesis in answers, which is not shown', () => {
  equal(
    ['((plain)', '(((plain)', 'plain)', '((other)'].map(v => valueText('goal', v, {})),
    ['(plain)', '((plain)', 'plain)', '((other)'],
  )
})

test('an order by a formula holds on each level while the report has the formula; the request asks the service for an order by clicks', () => {
  const ask = askFor({ group: ['country', 'date'], sort: '-=-profit+cost', formulas: 'profit/clicks,-profit+cost' })
  equal([orderAt(ask, 0), orderAt(ask, 1)], ['-=-profit+cost', '-=-profit+cost'])
  equal([questionOf(ask, []).sort, questionOf(ask, ['DE']).sort], ['-clicks', '-clicks'])
  const without = { ...ask, formulas: 'profit/clicks' }
  equal([orderAt(without, 0), orderAt(without, 1)], ['-clicks', 'date'])
})
