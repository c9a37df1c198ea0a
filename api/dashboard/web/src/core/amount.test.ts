import { equal, test } from '../testing.ts'
import { amountOf } from './amount.ts'

test('an amount is read as it is written in English and in German, and never guessed', () => {
  for (const [typed, want] of Object.entries({
    '1234': 1234,
    '12.5': 12.5,
    '12,5': 12.5,
    '0.125': 0.125,
    ',5': 0.5,
    '1.234,56': 1234.56,
    '1,234.56': 1234.56,
    '1 234,5': 1234.5,
    '1.234.567': 1234567,
    '1234.567': 1234.567,
    '1,2340': 1.234,
    '12.': null,
    '1.234': 1.234,
    '1,234': null,
    '1e9': null,
    '-5': null,
    '0x10': null,
    abc: null,
    '1.23,456': null,
    '': null,
  }))
    equal(amountOf(typed, '.'), want)
  equal(amountOf('1.234', ','), null)
  equal(amountOf('1,234', ','), 1.234)
})
