// Reads a CSV file like the service does, and writes one.
import type { FileColumn } from '../columns.gen.ts'

export const mostRows = 5000,
  mostBytes = 7_000_000
export type Heading = { cell: string; column?: FileColumn }
export type Head = { cells: Heading[]; missing: FileColumn[]; records: string[][]; rows: number; comma: string }

const fold = (s: string) => s.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

// headOf reads a file. It chooses the separator that gives the most known columns.
export function headOf(text: string, columns: FileColumn[]): Head | null {
  let body = text.replace(/^\uFEFF/, '').replace(/^\s*\n/, ''),
    choices = ',;\t|'
  const named = /^sep=(.)\r?\n/i.exec(body)
  if (named) {
    choices = named[1]!
    body = body.slice(named[0].length)
  }
  const heads = [...choices].map(comma => ({
    comma,
    cells: (recordsOf(body, comma, 1)[0] ?? []).map((cell): Heading => ({ cell, column: columnOf(cell, columns) })),
  }))
  const known = (cells: Heading[]) => new Set(cells.map(c => c.column).filter(Boolean)).size
  const { comma, cells } = heads.reduce((best, one) => (known(one.cells) > known(best.cells) ? one : best))
  if (cells.length === 0) return null
  const records = recordsOf(body, comma)
  return { comma, cells, missing: columns.filter(c => c.required && !cells.some(o => o.column === c)), records, rows: records.length - 1 }
}

// recordsOf returns the cells of the records of a text, at most a number of them, without empty records. A quoted cell may contain
// doubled quotes and line breaks.
export function recordsOf(body: string, comma: string, most = Infinity): string[][] {
  const out: string[][] = []
  let row: string[] = [],
    cell = '',
    quoted = false
  const end = () => {
    row.push(cell.trim())
    cell = ''
    if (row.some(Boolean)) out.push(row)
    row = []
  }
  for (let i = 0; i < body.length && out.length < most; i++) {
    const c = body[i]!
    if (quoted) {
      if (c !== '"') cell += c
      else if (body[i + 1] === '"') {
        cell += c
        i++
      } else quoted = false
    } else if (c === '"') quoted = true
    else if (c === comma) {
      row.push(cell.trim())
      cell = ''
    } else if (c === '\n') end()
    else if (c !== '\r') cell += c
  }
  if (out.length < most) end()
  return out
}

// csvOf returns records as CSV. It puts an apostrophe before a cell that a spreadsheet program would take for a formula.
export const csvOf = (rows: string[][]) =>
  rows
    .map(r =>
      r
        .map(c => {
          const text = /^[=+\-@\t]/.test(c) ? "'" + c : c
          return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text
        })
        .join(','),
    )
    .join('\n') + '\n'

function columnOf(cell: string, columns: FileColumn[]) {
  const names = [fold(cell), fold(cell.replace(/(.)[([].*/, '$1'))]
  return columns.find(c => names.some(n => n && c.names.includes(n)))
}
