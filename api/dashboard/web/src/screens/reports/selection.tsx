import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { dimensionAt, mostAtOnce, targetsOf, undoing } from '../../core/blocks.ts'
import { useBusy } from '../../core/busy.ts'
import { call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { count } from '../../core/format.ts'
import { request as fetchRows, touches, use } from '../../core/query.ts'
import { keyOf, questionOf, type Ask } from '../../core/report.ts'
import { t } from '../../core/text.ts'
import { failed, toast } from '../../core/toast.ts'
import { w } from '../../text/blocks.ts'
import { listedBelow, type Line } from './lines.ts'

// Selected are the paths of the selected rows, by key.
type Selected = Map<string, string[]>
export type Selection = ReturnType<typeof useSelection>

// useSelection keeps the selected rows of the report that is shown.
export function useSelection(ask: Ask, lines: Line[]) {
  const [rows, setRows] = useState<Selected>(new Map()),
    anchor = useRef(-1),
    report = JSON.stringify([ask.group, ask.filters, ask.least, ask.flat])
  useEffect(() => setRows(new Map()), [report])
  // pick selects a row, or deselects a selected one. With `range`, it selects all rows between the last picked row and this one.
  const pick = (i: number, range: boolean) => {
    const next = new Map(rows),
      from = range && anchor.current >= 0 ? anchor.current : i
    for (const line of lines.slice(Math.min(i, from), Math.max(i, from) + 1)) {
      if (line.kind !== 'row') continue
      const key = keyOf(line.path)
      if (range || !next.delete(key)) next.set(key, line.path)
    }
    if (!range) anchor.current = i
    setRows(next)
  }
  // extend selects the rows between the last picked row and a row. If no row is selected, it begins at the cursor.
  const extend = (cursor: number, to: number) => {
    if (rows.size === 0) anchor.current = Math.max(0, cursor)
    pick(to, true)
  }
  // `all` selects the rows that have the same parent as the row selected last, at most mostAtOnce, and deselects all others.
  const all = async () => {
    const parent = ask.flat ? [] : ([...rows.values()].at(-1) ?? ['']).slice(0, -1),
      { compare, ...question } = questionOf(ask, parent),
      data = await fetchRows('GET /reports/performance', { ...question, limit: mostAtOnce })
    void compare
    setRows(new Map(listedBelow(ask, parent, data.rows).map(path => [keyOf(path), path])))
  }
  return { rows, has: (path: string[]) => rows.has(keyOf(path)), pick, extend, all, clear: () => setRows(new Map()) }
}

// useBlocked returns a function that reports whether the value of a row is blocked in the account, or in the campaign or source
// that the row belongs to.
export function useBlocked(ask: Ask) {
  const lists =
      use('GET /blocks/lists', {})
        .data?.lists.filter(l => ask.group.includes(l.dimension))
        .slice(0, mostLists) ?? [],
    [values, setValues] = useState<Record<string, Set<string>>>({}),
    wanted = lists.map(l => l.id + l.changed_at + l.count).join()
  useEffect(() => {
    const stop = new AbortController()
    for (const l of lists)
      fetchRows('GET /blocks/lists/{id}', {}, stop.signal, { id: l.id }).then(
        d => setValues(now => ({ ...now, [l.id]: new Set(d.values) })),
        () => undefined, // after an error, the rows are shown without the mark for blocked values
      )
    return () => stop.abort()
    // eslint-disable-next-line react-hooks/exhaustive-deps -- wanted changes with the lists
  }, [wanted])
  return (path: string[]) => {
    const [o] = lists.length ? targetsOf(ask, [path]) : []
    return (
      !!o &&
      lists.some(
        l =>
          l.dimension === o.dimension &&
          (l.scope === 'account' || l.scope_id === o.campaign || l.scope_id === o.source) &&
          values[l.id]?.has(o.values[0]!),
      )
    )
  }
}
const mostLists = 8 // the maximum number of lists whose values are loaded, to mark the blocked rows

// refusalOf returns the reason why rows cannot be blocked, or an empty text.
export function refusalOf(ask: Ask, paths: string[][]): string {
  if (!paths.some(path => dimensionAt(ask, path) >= 0))
    return ask.flat && ask.group.length > 1 && dimensionAt({ ...ask, flat: false }, paths[0]!) >= 0 ? w.flat : w.none
  return targetsOf(ask, paths).some(o => o.values.length > mostAtOnce) ? w.tooMany(count(mostAtOnce)) : ''
}

type BarProps = { of: Selection; ask: Ask; total: number; more: boolean; block: () => void }

// SelectionBar shows what can be done with the selected rows.
export function SelectionBar({ of: s, ask, total, more, block }: BarProps) {
  const [busy, run] = useBusy(),
    paths = [...s.rows.values()],
    refusal = paths.some(path => dimensionAt(ask, path) >= 0) ? '' : refusalOf(ask, paths),
    may = canWrite() && !refusal
  const allow = () =>
    run(async () => {
      const ids: string[] = []
      let allowed = 0
      const dimensions = new Map<string, string[]>()
      for (const o of targetsOf(ask, paths)) dimensions.set(o.dimension, [...(dimensions.get(o.dimension) ?? []), ...o.values])
      for (const [dimension, values] of dimensions) {
        const change = await call('POST /blocks/remove', { body: { dimension, values: [...new Set(values)].slice(0, mostAtOnce) } })
        ids.push(change.id)
        allowed += change.allowed
      }
      touches('blocks')
      s.clear()
      toast(allowed ? w.allowed(allowed, count(allowed)) : w.notBlocked, allowed ? { undo: undoing(ids) } : {})
    }, failed)
  const rest = more ? mostAtOnce : total
  return (
    <div class="savebar" role="status">
      <b>{w.selected(s.rows.size, count(s.rows.size))}</b>
      {s.rows.size < rest && (
        <Button
          look="sm quiet"
          disabled={busy}
          onClick={() => void run(s.all, failed)}
          text={more ? w.selectAllMost(count(mostAtOnce)) : w.selectAll}
        />
      )}
      {canWrite() && refusal && <span class="dim changes">{refusal}</span>}
      {may && <Button look="sm primary" disabled={busy} onClick={block} icon="ban" text={w.go} letter="B" />}
      {may && <Button look="sm" disabled={busy} onClick={() => void allow()} text={w.allow} />}
      <Button look="sm quiet" onClick={s.clear} text={t.parts.cancel} />
    </div>
  )
}
