import { askFor, equal, test } from '../testing.ts'
import { bodyOf, daysOf, targetOfRecord, targetOfRow } from './cost.ts'
import type { Ask } from './report.ts'

const days = { from: { y: 2026, m: 11, d: 20 }, to: { y: 2026, m: 11, d: 26 } }
const ask = (group: string[], filters: Ask['filters'] = []) => askFor({ group, filters })

test('a row of campaigns, days and sub-parameters says which clicks it stands for', () => {
  equal(targetOfRow(ask(['campaign_id']), ['c'], days), {
    campaign: 'c',
    source: '',
    sub: 0,
    value: '',
    from: '2026-11-20',
    to: '2026-11-26',
  })
  equal(targetOfRow(ask(['date', 'sub2'], [{ dimension: 'source_id', not: false, values: ['s'] }]), ['2026-11-24', ''], days), {
    campaign: '',
    source: 's',
    sub: 2,
    value: '',
    from: '2026-11-24',
    to: '2026-11-24',
  })
})

test('a row of a list stands for the day of the window, or for yesterday if the window has several days', () => {
  const day = { from: days.from, to: days.from }
  equal(targetOfRecord({ source: 's' }, day, 'UTC'), { campaign: '', source: 's', sub: 0, value: '', from: '2026-11-20', to: '2026-11-20' })
  equal(targetOfRecord({ campaign: 'c' }, days, 'UTC'), { campaign: 'c', source: '', sub: 0, value: '', ...daysOf('yesterday', 'UTC') })
})

test('a row gets no cost if a target cannot describe its clicks', () => {
  equal(targetOfRow(ask(['campaign_id', 'country']), ['c', 'DE'], days), undefined)
  equal(targetOfRow(ask(['campaign_id']), [''], days), undefined)
  equal(targetOfRow(ask(['sub1', 'sub2']), ['a', 'b'], days), undefined)
  equal(targetOfRow(ask(['campaign_id'], [{ dimension: 'sub1', not: true, values: ['a'] }]), ['c'], days), undefined)
  equal(targetOfRow(ask(['campaign_id'], [{ dimension: 'source_id', not: false, values: ['a', 'b'] }]), ['c'], days), undefined)
})

test('a cost is sent only when everything is valid', () => {
  const of = targetOfRow(ask(['campaign_id']), ['c'], days)!
  equal(bodyOf(of, 'amount', null, 'USD'), undefined)
  equal(bodyOf(of, 'amount', -1, 'USD'), undefined)
  equal(bodyOf(of, 'amount', 5, 'US'), undefined)
  equal(bodyOf({ ...of, campaign: '' }, 'amount', 5, 'USD'), undefined)
  equal(bodyOf({ ...of, value: 'x' }, 'cpc', 0.02, 'USD'), {
    campaign_id: 'c',
    source_id: undefined,
    sub: 0,
    sub_value: '',
    from: '2026-11-20',
    to: '2026-11-26',
    cpc: 0.02,
    currency: 'USD',
  })
})
