import { equal, test } from '../testing.ts'
import { asWritten } from './idn.ts'

test('host names are shown as they are written', () => {
  for (const name of [
    'магазин.рф',
    'bücher.example',
    'go.例え.テスト',
    'straße.de',
    'παράδειγμα.gr',
    '中国.cn',
    'ü',
    'a.mañana-b.co.uk',
    '❤.ws',
  ]) {
    equal(asWritten(new URL('http://' + name).hostname), name)
  }
  equal(asWritten('https://xn--80aairftm.xn--p1ai:8080/xn?c={clickid}'), 'https://магазин.рф:8080/xn?c={clickid}')
  equal(asWritten('https://XN--80AAIRFTM.xn--p1ai/'), 'https://магазин.рф/')
})

test('a name that cannot be read back, or that mixes scripts, stays as it is', () => {
  for (const text of ['', 'shop.example', 'xn--', 'xn--a', 'xn--99999999999', 'xn--0-', 'https://xn--/x', 'xn--80ak6aa92e.com-xn--$']) {
    const shown = asWritten(text)
    equal(shown === text || new URL('http://' + shown.split('/')[0]).hostname === text, true)
  }
  equal(asWritten('xn--pypal-4ve.com'), 'xn--pypal-4ve.com') // paypal with a Cyrillic letter
})
