import { equal, test } from '../testing.ts'
import { testPostback } from './postback.ts'

const network = { postback_params: {}, macros: {}, status_map: {}, currency: 'EUR' }

test('a test postback replaces the macros of the network', () => {
  const url = 'https://t.example/postback/1?cid={sub1}&payout={sum}&goal={event}&conversion_id=%tid%&cur={c}&secret=a%20b',
    macros = { click_id: '{sub1}', payout: '{sum}', goal: '{event}', conversion_id: '%tid%', currency: '{c}' }
  equal(
    testPostback({ ...network, postback_url: url, macros }, 'abc'),
    'https://t.example/postback/1?cid=abc&payout=1&goal=&conversion_id=test&cur=EUR&secret=a%20b',
  )
})

test('without macros, the empty parameters of the postback URL are filled', () => {
  const url = 'https://t.example/postback/1?clickid=&sum=&status=&conversion_id='
  equal(
    testPostback({ ...network, postback_url: url, postback_params: { payout: 'sum' }, status_map: { approved: ['1'] } }, 'abc'),
    'https://t.example/postback/1?clickid=abc&sum=1&status=1&conversion_id=test',
  )
  equal(testPostback({ ...network, postback_url: 'https://t.example/postback/1' }, 'abc'), 'https://t.example/postback/1')
})

test('a test postback has the fixed payout of the offer, also if it takes the conversion back', () => {
  const url = 'https://t.example/postback/1?clickid=&payout=&status=&conversion_id=',
    offer = { payout: 12.5, payout_type: 'fixed' as const, currency: 'EUR' },
    n = { ...network, postback_url: url, status_map: { rejected: ['0'] } }
  equal(testPostback(n, 'abc', offer), 'https://t.example/postback/1?clickid=abc&payout=12.5&status=approved&conversion_id=test')
  equal(testPostback(n, 'abc', offer, 'rejected'), 'https://t.example/postback/1?clickid=abc&payout=12.5&status=0&conversion_id=test')
  equal(
    testPostback({ ...network, postback_url: 'https://t.example/p?clickid=' }, 'abc', offer, 'approved'),
    'https://t.example/p?clickid=abc&status=approved',
  )
  equal(testPostback(n, 'abc', { ...offer, payout_type: 'percent' }).includes('payout=1&'), true)
})
