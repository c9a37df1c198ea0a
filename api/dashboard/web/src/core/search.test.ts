import { equal, test } from '../testing.ts'
import { bestFirst, rankOf } from './search.ts'

test('a name is found by the beginnings of its words, in any order', () => {
  equal(rankOf('push lat', 'Sweeps LATAM push') > 0, true)
  equal(rankOf('sw', 'Sweeps LATAM') > rankOf('la', 'Sweeps LATAM'), true)
  equal(rankOf('dating', 'Sweeps LATAM'), 0)
})

test('a name is found with small mistakes, and ranks below names without', () => {
  for (const typed of ['sweepwell', 'swepwell', 'sweepswel', 'sewepwell'])
    equal([typed, rankOf(typed, 'SweepsWell push') > 0], [typed, true])
  equal(rankOf('sweepwell', 'Sweep Well') > 0, true)
  equal(rankOf('propelerads', 'PropellerAds') > 0, true)
  equal(rankOf('reprots', 'Reports') > 0, true)
  equal(rankOf('swep', 'Sweeps') < rankOf('swee', 'Sweeps'), true)
})

test('a short word must be typed without mistakes, and a different word is not found', () => {
  equal(rankOf('bat', 'Bots'), 0)
  equal(rankOf('finance', 'Dating PL pops'), 0)
})

test('a name is found by words that belong to it', () => {
  equal(rankOf('blacklist', 'Bots', 'blacklist deny list') > 0, true)
})

test('whole words come before beginnings of words, and beginnings before the middle of a word', () => {
  const first = (typed: string, list: string[]) => bestFirst(list, typed, v => v)[0]
  equal(first('sub 1', ['Sub 10', 'zoneid (Sub 1)']), 'zoneid (Sub 1)')
  equal(first('sub 1', ['Sub 10', 'Sub 1']), 'Sub 1')
  equal(first('day', ['Hour of day', 'Day']), 'Day')
  equal(first('br', ['Embroidery', 'Browser']), 'Browser')
})
