import { equal, test } from '../testing.ts'
import { mostSubs } from '../subs.gen.ts'
import { dimensionName, freeSub, joined, meantSub, moved, renamed, rowsOf, storedOf, usualIn } from './subs.ts'

const source = {
  token_macros: { ad: '{a}', zone: '{z}', bid: '{b}' },
  subs: [
    { sub: 4, param: 'ad', name: 'Banner' },
    { sub: 1, param: 'zone', name: '' },
    { sub: 2, param: 'gone', name: '' },
  ],
}

test('the rows of a source are in the order of their sub-parameters, and are stored in that order', () => {
  const rows = rowsOf(source)
  equal(
    rows.map(r => [r.sub, r.param, r.inLink]),
    [
      [1, 'zone', true],
      [2, 'gone', false],
      [4, 'ad', true],
      [0, 'bid', true],
    ],
  )
  const stored = storedOf(rows)
  equal(stored.token_macros, { zone: '{z}', ad: '{a}', bid: '{b}' })
  equal(
    stored.subs,
    source.subs.toSorted((a, b) => a.sub - b.sub),
  )
})

test('a new parameter takes the first free sub-parameter', () => {
  const rows = rowsOf(source)
  equal(freeSub(rows), 3)
  equal(storedOf([...rows, { sub: 3, param: ' ', macro: '', name: '', inLink: true }]).subs.length, 3)
  const full = Array.from({ length: mostSubs }, (_, i) => ({ sub: i + 1, param: 'p' + i, macro: '', name: '', inLink: true }))
  equal(freeSub(full), 0)
})

test('a move swaps two sub-parameters', () => {
  equal(
    moved(rowsOf(source), 0, 4).map(r => r.sub),
    [4, 2, 1, 0],
  )
})

test('a name such as sub3 takes the sub-parameter with its number while that is free', () => {
  equal(
    [meantSub('sub3'), meantSub('T10'), meantSub('sub_id_2'), meantSub('sub30'), meantSub('sub31'), meantSub('zone3')],
    [3, 10, 2, 30, 0, 0],
  )
  const rows = rowsOf(source)
  equal(renamed(rows, 0, 'sub3')[0]!.sub, 3)
  equal(renamed(rows, 0, 'sub4')[0]!.sub, 1)
})

test('a sub-parameter is shown by its name', () => {
  equal(dimensionName('sub1', { sub1: 'zone' }), 'zone (Sub 1)')
  equal(dimensionName('sub2', { sub1: 'zone' }), 'Sub 2')
  equal(joined([{ sub1: 'zone', sub2: 'ad' }, { sub1: 'Zone', sub2: 'site' }, {}]), { sub1: 'zone', sub2: 'ad / site' })
  equal(joined(['a', 'b', 'c', 'd'].map(sub1 => ({ sub1 }))), { sub1: 'a / b / c …' })
})

test('menus show the first ten sub-parameters, and of the others those that a source has', () => {
  const isUsual = usualIn([source, { subs: [{ sub: 17, param: 'site', name: '' }] }])
  equal(['country', 'sub9', 'sub10', 'sub11', 'sub17', 'sub30'].map(isUsual), [true, true, true, false, true, false])
})
