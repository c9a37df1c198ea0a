import { equal, test } from '../testing.ts'
import { paramsOf, withParams } from './link.ts'

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
  const source = { token_macros: { zone: '{z}' }, cost_param: 'bid', external_id_param: 'xid' }
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
})
