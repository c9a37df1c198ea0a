// Columns of a report that a person defines by a formula, such as profit/conversions.
import type { FigureRow } from '../api.gen.ts'
import { figures, names, type Name } from './figures.ts'
import { t } from './text.ts'

// Part is a number, a figure, or a sign: an operator or a parenthesis.
type Part = number | { figure: Name } | string
// Formula can be calculated for a row. Its text has the names of the API, its title the names on the screen.
export type Formula = { text: string; title: string; money: boolean; of: (row: FigureRow) => number | null }

export const mostFormulas = 5
const longest = 100
const shape = /\s*(?:(\d+(?:\.\d+)?)|([\p{L}][\p{L}_.%]*(?: +[\p{L}%][\p{L}_.%]*)*)|([-+*/()]))\s*/uy

// figureOf finds a figure by its name in the API or on the screen.
function figureOf(word: string): Name | undefined {
  const plain = (s: string) => s.toLowerCase().replace(/[ _]+/g, ' ')
  return names.find(n => plain(n) === plain(word) || plain(t.figures.names[n]) === plain(word))
}

// partsOf returns the parts of a text, or undefined if something in it is unknown.
function partsOf(text: string): Part[] | undefined {
  const parts: Part[] = []
  for (shape.lastIndex = 0; shape.lastIndex < text.length; ) {
    const [, number, word, sign] = shape.exec(text) ?? []
    const part = number ? Number(number) : word ? figureOf(word) : sign
    if (part === undefined) return undefined
    parts.push(word ? { figure: part as Name } : part)
  }
  return parts
}

type Value = (row: FigureRow) => number | null
// `both` applies an operator to two values. The result is null for a division by zero, or if one of the values is null.
const both =
  (a: Value, sign: string, b: Value): Value =>
  row => {
    const x = a(row),
      y = b(row)
    if (x == null || y == null || (sign === '/' && y === 0)) return null
    return sign === '+' ? x + y : sign === '-' ? x - y : sign === '*' ? x * y : x / y
  }

// formulaOf reads a formula of figures, numbers, + - * / and parentheses.
export function formulaOf(text: string): Formula | undefined {
  const parts = text.length <= longest ? partsOf(text) : undefined
  if (!parts?.some(p => typeof p === 'object') || parts.length < 2) return undefined
  let at = 0
  const chain = (signs: string, next: () => Value | undefined) => (): Value | undefined => {
    let value = next()
    while (value && typeof parts[at] === 'string' && signs.includes(parts[at] as string)) {
      const sign = parts[at++] as string,
        right = next()
      value = right && both(value, sign, right)
    }
    return value
  }
  const one = (): Value | undefined => {
    const p = parts[at++]
    if (typeof p === 'number') return () => p
    if (typeof p === 'object') return row => row[p.figure]
    if (p === '-') {
      const value = one()
      return value && both(() => 0, '-', value)
    }
    if (p !== '(') return undefined
    const value = sum()
    return parts[at++] === ')' ? value : undefined
  }
  const sum: () => Value | undefined = chain('+-', chain('*/', one))
  const of = sum()
  if (!of || at !== parts.length) return undefined
  return { of, money: isMoney(of), text: written(parts, n => n), title: written(parts, n => t.figures.names[n]) }
}

// sample returns a row whose figures are all different. It multiplies amounts of money by the given number.
const sample = (by: number) =>
  Object.fromEntries(
    names.map((n, i) => [n, (7 + i * i * 1.37) * (['money', 'small'].includes(figures[n].kind) ? by : 1)]),
  ) as unknown as FigureRow

function isMoney(of: Value) {
  const once = of(sample(1)) ?? 0,
    twice = of(sample(2)) ?? 0
  return once !== 0 && Math.abs(twice / once - 2) < 1e-9
}

const written = (parts: Part[], name: (n: Name) => string) =>
  parts.map(p => (typeof p === 'object' ? name(p.figure) : typeof p === 'number' || '()'.includes(p) ? String(p) : ` ${p} `)).join('')

// formulasOf reads the formulas in the query of the page's address. It leaves out unreadable ones.
export const formulasOf = (text: string): Formula[] =>
  text
    .split(',')
    .flatMap(f => formulaOf(f) ?? [])
    .slice(0, mostFormulas)
export const textInAddress = (of: Formula) => of.text.replaceAll(' ', '')
export const formulasText = (of: Formula[]) => of.map(textInAddress).join()

export function byFormula<R extends FigureRow>(rows: R[], of: Formula, down: boolean): R[] {
  const keyed = rows.map(row => ({ row, value: of.of(row) }))
  keyed.sort((a, b) =>
    a.value == null || b.value == null ? Number(a.value == null) - Number(b.value == null) : (a.value - b.value) * (down ? -1 : 1),
  )
  return keyed.map(k => k.row)
}
