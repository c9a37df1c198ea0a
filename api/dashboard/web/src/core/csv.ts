// Reads the header of a CSV file like the service does, and counts the rows.
import type { FileColumn } from '../columns.gen.ts'

export const mostRows = 5000,
  mostBytes = 7_000_000
export type Heading = { cell: string; column?: FileColumn }
export type Head = { cells: Heading[]; missing: FileColumn[]; rows: number; comma: string }

const fold = (s: string) => s.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

// records returns the number of records in a text, without empty lines. A line break within quotes does not end a record.
function records(text: string): number {
  let n = 0,
    quoted = false,
    any = false
  for (const c of text) {
    if (c === '"') {
      quoted = !quoted
      any = true
    } else if (c === '\n' && !quoted) {
      if (any) n++
      any = false
    } else if (c !== '\r' && c !== ' ') any = true
  }
  return n + Number(any)
}

function cellsOf(line: string, comma: string): string[] {
  const out: string[] = []
  let cell = '',
    quoted = false
  for (const c of line) {
    if (c === '"') quoted = !quoted
    else if (c === comma && !quoted) {
      out.push(cell.trim())
      cell = ''
    } else cell += c
  }
  return [...out, cell.trim()]
}

// headOf reads the header. It chooses the separator that gives the most known columns.
export function headOf(text: string, columns: FileColumn[]): Head | null {
  let body = text.replace(/^\uFEFF/, '').replace(/^\s*\n/, ''),
    choices = ',;\t|'
  const said = /^sep=(.)\r?\n/i.exec(body)
  if (said) {
    choices = said[1]!
    body = body.slice(said[0].length)
  }
  if (!body.trim()) return null
  const line = body.split(/\r?\n/, 1)[0]!
  const read = [...choices].map(comma => cellsOf(line, comma).map(cell => ({ cell, column: columnOf(cell, columns) })))
  const known = (cells: Heading[]) => new Set(cells.map(c => c.column).filter(Boolean)).size
  const cells = read.reduce((best, one) => (known(one) > known(best) ? one : best))
  return {
    cells,
    missing: columns.filter(c => c.required && !cells.some(o => o.column === c)),
    rows: Math.max(0, records(body) - 1),
    comma: read.indexOf(cells) < 0 ? ',' : choices[read.indexOf(cells)]!,
  }
}

// recordsOf returns the cells of all records of a text, the header first. A quoted cell may contain doubled quotes and line breaks.
export function recordsOf(text: string, comma: string): string[][] {
  const body = text.replace(/^\uFEFF/, '').replace(/^sep=.\r?\n/i, '')
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
  for (let i = 0; i < body.length; i++) {
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
  end()
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
