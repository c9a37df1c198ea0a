import { equal, test } from '../testing.ts'
import { clickIDParam, clickIDPart, hasClickID, hasClickIDIn, insertToken, looksLikeURL, partsOf, withClickID } from './tokens.ts'

const states = (url: string, postback = false) =>
  partsOf(url, postback)
    .filter(p => p.state !== 'text')
    .map(p => p.text + ' ' + p.state)

test('known and unknown tokens are distinguished', () => {
  equal(states('https://o.example/{clickid}?s={sub1}&x={nothing}&p={param.a}'), [
    '{clickid} known',
    '{sub1} known',
    '{nothing} unknown',
    '{param.a} known',
  ])
  equal(states('https://o.example/?s={sub30}{t31}&e={}'), ['{sub30} known', '{t31} unknown', '{} unknown'])
})

test('tokens of a conversion are for postbacks', () => {
  equal(states('https://s.example/?p={payout}'), ['{payout} conversion'])
  equal(states('https://s.example/?p={payout}', true), ['{payout} known'])
})

test('the joined parts of an address give the address', () => {
  for (const url of ['', 'a', '{a}', 'https://a.example/{b}c{d', '}{', '{a}{b}'])
    equal(
      partsOf(url)
        .map(p => p.text)
        .join(''),
      url,
    )
})

test('addresses', () => {
  for (const url of ['https://a.example', 'http://a.example/{clickid}?d={date:Y-m-d H:i}']) equal(looksLikeURL(url), true, url)
  for (const url of ['', 'a.example', 'ftp://a.example', 'https://', 'https:///a', 'https://{x}', 'https://a example'])
    equal(looksLikeURL(url), false, url)
})

test('the network’s parameter is added to an address without a click id, before the fragment', () => {
  equal(['?c={clickid}', '?c={SUBID}', '/{click_id}', '?c={sub1}', ''].map(hasClickID), [true, true, true, false, false])
  equal(withClickID('https://o.example/a', 'sub1'), 'https://o.example/a?sub1={clickid}')
  equal(withClickID('https://o.example/a?x=1#top', 'sub1'), 'https://o.example/a?x=1&sub1={clickid}#top')
  equal(withClickID('https://o.example/a?', 'sub1'), 'https://o.example/a?sub1={clickid}')
  equal(withClickID('https://o.example/?c={clickid}', 'sub1'), 'https://o.example/?c={clickid}')
  equal(withClickID('https://o.example/', ''), 'https://o.example/')
  const inSub1 = ['?c={clickid}', '?a=1&SUB1={click_id}', '?sub1=x', '#?sub1={clickid}', '?s%75b1=a{clickid}']
  equal(
    inSub1.map(url => hasClickIDIn(url, 'sub1')),
    [false, true, false, false, true],
  )
})

test('in an empty address, inside an address and after an equals sign a token replaces the selection; elsewhere it becomes a parameter', () => {
  const put = (url: string, at = url.length, to = at) => insertToken(url, 'clickid', at, to).url
  equal(put('https://o.example/pre?x=1'), 'https://o.example/pre?x=1&clickid={clickid}')
  equal(put('https://o.example/'), 'https://o.example/?clickid={clickid}')
  equal(put('https://o.example/?'), 'https://o.example/?clickid={clickid}')
  equal(put('https://o.example/#top'), 'https://o.example/?clickid={clickid}#top')
  equal(put('https://o.example/?s='), 'https://o.example/?s={clickid}')
  equal(put('https://o.example/?s=&t=1', 21), 'https://o.example/?s={clickid}&t=1')
  equal(put('https://o.example/?s=old&t=1', 21, 24), 'https://o.example/?s={clickid}&t=1')
  equal(put('https://o.example/', 0), 'https://o.example/?clickid={clickid}')
  equal(put(''), '{clickid}')
  equal(insertToken('https://o.example/#top', 'param.a', 22, 22), { url: 'https://o.example/?param={param.a}#top', at: 34 })
})

test('clickIDPart returns the missing part of an address without a click id, clickIDParam the parameter with the click id', () => {
  equal(clickIDPart('https://l.example/'), '?clickid={clickid}')
  equal(clickIDPart('https://l.example/?a=1#top'), '&clickid={clickid}')
  equal(clickIDPart('https://l.example/?c={clickid}'), '')
  equal(['?a=1&cid={clickid}#x', '?c={SUBID}', '/{clickid}', '?a=1'].map(clickIDParam), ['cid', 'c', '', ''])
})
