import { equal, test } from '../testing.ts'
import { looksLikeURL, partsOf } from './tokens.ts'

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
