import { equal, random, test } from '../testing.ts'
import { csvOf, headOf, recordsOf } from './csv.ts'

const columns = [
  { name: 'click_id', names: ['clickid', 'subid'], required: true },
  { name: 'payout', names: ['payout', 'amount'], required: false },
] as unknown as Parameters<typeof headOf>[1]

test('what is written is read again', () => {
  const draw = random(1),
    letters = ['a', 'ü', '"', ',', '\n', ';', ' b', 'c ', '1', '()']
  for (let i = 0; i < 500; i++) {
    const rows = Array.from({ length: 3 }, () =>
      Array.from(
        { length: 3 },
        () => 'x' + Array.from({ length: draw() * 6 }, () => letters[Math.floor(draw() * letters.length)]).join('') + 'x',
      ),
    )
    equal(recordsOf(csvOf(rows), ','), rows)
  }
})

test('a cell that a table program would run is a text', () => {
  equal(csvOf([['=1+1', '+1', '-1', '@a', 'a=1']]), "'=1+1,'+1,'-1,'@a,a=1\n")
})

test('the header is found by its names, its separator by what is known', () => {
  const head = headOf('\uFEFFClick ID;Amount (EUR)\n1;2\n"3\n4";5\n\n', columns)!
  equal([head.comma, head.rows, head.missing.length, head.cells.map(c => c.column?.name)], [';', 2, 0, ['click_id', 'payout']])
  equal(
    headOf('sep=|\r\npayout|x\r\n', columns)!.missing.map(c => c.name),
    ['click_id'],
  )
  equal(headOf(' \n ', columns), null)
})

test('a header may have doubled quotes, and empty records are left out', () => {
  const head = headOf('"payout (""EUR"")",click id\n , \n1,"2\n"\n', columns)!
  equal([head.cells.map(c => c.column?.name), head.records.slice(1), head.rows], [['payout', 'click_id'], [['1', '2']], 1])
})
