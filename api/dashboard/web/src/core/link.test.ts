import { equal, test } from '../testing.ts'
import { defaultDomain, originOf, paramsOf, sampled, withParams } from './link.ts'

test('own values follow the parameters of the source, whose macros stay as they are', () => {
  equal(
    withParams('https://t.example/a?sub1={zone}', [
      ['sub 2', 'a&b'],
      ['', 'x'],
    ]),
    'https://t.example/a?sub1={zone}&sub%202=a%26b',
  )
  equal(withParams('https://t.example/a', [['sub3', '${BANNER}']]), 'https://t.example/a?sub3=${BANNER}')
  equal(withParams('https://t.example/a', []), 'https://t.example/a')
})

test('a link is taken apart as it is written', () => {
  const source = { subs: [{ sub: 1, param: 'zone', name: '' }], cost_param: 'bid', external_id_param: 'xid' }
  const read = paramsOf('https://t.example/a?zone={z}&xid=%7Bx%7D&bid=1&100%=&alone#f', source)
  equal(
    read.map(p => [p.name, p.macro]),
    [
      ['zone', '{z}'],
      ['xid', '%7Bx%7D'],
      ['bid', '1'],
      ['100%', ''],
      ['alone', ''],
    ],
  )
  equal(new Set(read.map(p => p.meaning)).size, 4)
  const named = { subs: [{ sub: 3, param: 'ad_id', name: 'the ad' }], cost_param: '', external_id_param: '' }
  equal(paramsOf('https://t.example/a?ad_id={{ad.id}}', named)[0]!.meaning, 'the ad (Sub 3): a dimension of reports')
})

test('a link to try has made-up values for macros, and an amount for the cost', () => {
  const source = {
    token_macros: { zone: '{zoneid}', b: '__B__' },
    cost_param: 'bid',
    cost_macro: '##COST##',
    external_id_macro: '${SUBID}',
  }
  equal(
    sampled('https://t.example/a?zone={zoneid}&b=__B__&bid=##COST##&xid=${SUBID}&own=1&x=[Y]', source),
    'https://t.example/a?zone=test-zone&b=test-b&bid=0.01&xid=test-xid&own=1&x=Y',
  )
  equal(sampled('https://t.example/a?cost={cost}', undefined), 'https://t.example/a?cost=0.01')
  equal(sampled('https://t.example/a?cost=0.5', undefined), 'https://t.example/a?cost=0.5')
  equal(sampled('https://t.example/a', source), 'https://t.example/a')
})

test('addresses on a shared domain have the scheme and the port of the install; addresses on an own domain have https', () => {
  const install = { protocol: 'http:', port: '19200' }
  equal(originOf('localhost', true, install), 'http://localhost:19200')
  equal(originOf('go.example', true, { protocol: 'https:', port: '' }), 'https://go.example')
  equal(originOf('own.example', false, install), 'https://own.example')
})

test('a domain that does not lead here is the last choice for a new link', () => {
  const own = (id: string, of: object) => ({ id, is_default: false, is_verified: true, points: null, ...of }),
    shared = [{ id: 'shared', is_default: true }]
  equal(defaultDomain({ rows: [own('a', {}), own('b', { is_default: true })], shared }), 'b')
  equal(defaultDomain({ rows: [own('a', { points: true }), own('b', { is_default: true, points: false })], shared }), 'a')
  equal(defaultDomain({ rows: [own('b', { is_default: true, points: false })], shared }), 'shared')
  equal(defaultDomain({ rows: [own('b', { points: false })], shared: [] }), 'b')
  equal(defaultDomain({ rows: [], shared: [] }), '')
})
