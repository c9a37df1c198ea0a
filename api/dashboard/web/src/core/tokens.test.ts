import { equal, test } from '../testing.ts'
import { hasClickID, looksLikeURL, partsOf, withClickID } from './tokens.ts'

const states = (url: string, postback = false) =>
  partsOf(url, postback)
    .filter(p => p.state !== 'text')
    .map(p => p.text + ' ' + p.state)

test('tokens are told from what is none', () => {
  equal(states('https://o.example/{clickid}?s={sub1}&x={nothing}&p={param.a}'), [
    '{clickid} known',
    '{sub1} known',
    '{nothing} unknown',
    '{param.a} known',
  ])
  equal(states('https://o.example/?s={sub11}&e={}'), ['{sub11} unknown', '{} unknown'])
})

test('tokens of a conversion are for postbacks', () => {
  equal(states('https://s.example/?p={payout}'), ['{payout} conversion'])
  equal(states('https://s.example/?p={payout}', true), ['{payout} known'])
})

test('the parts of an address are the address', () => {
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
})
