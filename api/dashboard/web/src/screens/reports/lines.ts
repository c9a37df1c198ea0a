import { useEffect, useRef, useState } from 'preact/hooks'
import type { Performance, PerformanceRow } from '../../api.gen.ts'
import { asError, type ApiError } from '../../core/call.ts'
import { useOnline } from '../../core/online.ts'
import { request as fetchRows, cachedAnswer, epoch, useStamp } from '../../core/query.ts'
import { byFormula, formulaOf } from '../../core/formula.ts'
import { inOrder, keyOf, orderAt, pathOf, questionOf, sortedFormula, valueText, type Ask } from '../../core/report.ts'

// Answer has the rows of a report that the service returned, or the error of the request. It is empty while the service is asked.
type Answer = { data?: Performance; error?: ApiError }
export type RowLine = {
  kind: 'row'
  level: number
  path: string[]
  row: PerformanceRow
  name: string
  dimension: string
  open: boolean
  leaf: boolean
}
export type Line =
  | RowLine
  | { kind: 'wait'; level: number; path: string[] }
  | { kind: 'more'; level: number; path: string[]; shown: number }
  | { kind: 'error'; level: number; path: string[]; error: ApiError }

// useRows loads the rows of the first level and the rows below each open row, and keeps the rows that have arrived.
export function useRows(ask: Ask) {
  const [answers, setAnswers] = useState<Record<string, Answer>>({})
  const [reloads, setReloads] = useState(0)
  const places = ask.flat ? [''] : ['', ...ask.open.filter(k => pathOf(k).length < ask.group.length)]
  const questions = places.map(k => [k, JSON.stringify(questionOf(ask, pathOf(k)))] as const)
  const allQuestions = questions.map(q => q.join()).join('|')
  const running = useRef(new Map<string, AbortController>()),
    stamp = useStamp('GET /reports/performance'),
    asked = useRef(stamp)
  useEffect(() => {
    if (asked.current !== stamp) {
      // a write has changed the figures: all rows are requested again, and the old rows stay until the new ones arrive
      running.current.forEach(stop => stop.abort())
      running.current.clear()
      asked.current = stamp
    }
    const wanted = new Set(questions.map(([, q]) => q))
    for (const [q, stop] of running.current)
      if (!wanted.has(q)) {
        stop.abort()
        running.current.delete(q)
      }
    for (const [, q] of questions) {
      if (running.current.has(q)) continue
      const stop = new AbortController()
      running.current.set(q, stop)
      fetchRows('GET /reports/performance', JSON.parse(q), stop.signal).then(
        data => setAnswers(now => ({ ...now, [q]: { data } })),
        e => {
          if (!stop.signal.aborted) setAnswers(now => ({ ...now, [q]: { error: asError(e) } }))
        },
      )
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- allQuestions stands for questions
  }, [allQuestions, reloads, epoch.value, stamp])
  useEffect(() => () => running.current.forEach(stop => stop.abort()), [])
  const retry = () => {
    running.current.clear()
    setAnswers({})
    setReloads(n => n + 1)
  }
  useOnline(() => {
    if (Object.values(answers).some(a => a.error)) retry()
  })
  const at = (key: string): Answer => {
    const q = questions.find(([k]) => k === key)?.[1]
    if (!q) return {}
    return answers[q] ?? { data: cachedAnswer('GET /reports/performance', JSON.parse(q)) }
  }
  return { at, retry }
}

// isBlank reports whether the dimensions of a row are empty and the columns of the table are all zero for it.
const isBlank = (row: PerformanceRow, dims: string[], ask: Ask) =>
  dims.every(d => row.dims[d] === '') && ask.columns.every(n => !row[n] && !row.compare?.[n])

// countOf returns the number of rows that the table has on its first level.
export function countOf(data: Performance, ask: Ask): number {
  const dims = ask.flat ? ask.group : ask.group.slice(0, 1)
  return data.rows.filter(row => !isBlank(row, dims, ask)).length
}

// pathOfRow returns the path of a row: in a flat report its values, otherwise the path of the row above it and its own value.
const pathOfRow = (ask: Ask, above: string[], row: PerformanceRow) =>
  ask.flat ? ask.group.map(d => row.dims[d]!) : [...above, row.dims[ask.group[above.length]!]!]

// listedBelow returns the paths of rows. `above` is the path of the row above them.
export const listedBelow = (ask: Ask, above: string[], rows: PerformanceRow[]) => rows.map(row => pathOfRow(ask, above, row))

// orderedRows returns the rows of a level of the tree in the order of the report.
function orderedRows({ rows, labels }: Performance, ask: Ask, dims: string[], level: number) {
  const order = orderAt(ask, level),
    formula = formulaOf(sortedFormula(order))
  return formula ? byFormula(rows, formula, order[0] === '-') : inOrder(rows, ask, dims, level, labels)
}

// linesOf returns the lines of the table: the rows that are neither folded away nor blank, and lines in place of missing rows.
export function linesOf(ask: Ask, at: (key: string) => Answer): Line[] {
  const out: Line[] = [],
    open = new Set(ask.open)
  const walk = (path: string[]) => {
    const level = path.length + 1,
      { data, error } = at(keyOf(path))
    if (error) {
      out.push({ kind: 'error', level, path, error })
      return
    }
    if (!data) {
      out.push({ kind: 'wait', level, path }, { kind: 'wait', level, path })
      return
    }
    const dims = ask.flat ? ask.group : [ask.group[path.length]!]
    for (const row of orderedRows(data, ask, dims, ask.flat ? 0 : path.length)) {
      if (isBlank(row, dims, ask)) continue
      const name = dims.map(d => valueText(d, row.dims[d]!, data.labels)).join(' · ')
      const below = pathOfRow(ask, path, row)
      const leaf = ask.flat || below.length >= ask.group.length,
        isOpen = !leaf && open.has(keyOf(below))
      out.push({ kind: 'row', level, path: below, row, name, dimension: dims[0]!, open: isOpen, leaf })
      if (isOpen) walk(below)
    }
    if (data.truncated) out.push({ kind: 'more', level, path, shown: data.rows.length })
  }
  walk([])
  return out
}
