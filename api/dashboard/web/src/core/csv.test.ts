import { equal, test } from '../testing.ts'
import { csvOf } from './csv.ts'

test('a cell that a spreadsheet program would take for a formula gets an apostrophe', () => {
  equal(csvOf([['=1+1', '+1', '-1', '@a', 'a=1']]), "'=1+1,'+1,'-1,'@a,a=1\n")
})

test('a cell with a comma, a quote or a line break is quoted', () => {
  equal(csvOf([['a,b', 'a"b', 'a\nb', ' a;b '], ['']]), '"a,b","a""b","a\nb", a;b \n\n')
})
