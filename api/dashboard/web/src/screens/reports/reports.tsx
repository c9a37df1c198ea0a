import { useMemo, useRef, useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { blocksRows } from '../../core/blocks.ts'
import { canWrite } from '../../core/can.ts'
import { targetOfRow } from '../../core/cost.ts'
import { count } from '../../core/format.ts'
import { useKeys } from '../../core/keys.ts'
import { currentQuery, filterQuery, isOfSales, keyOf, ofSales, setFilter, setOpen, timely, type Ask } from '../../core/report.ts'
import { change, go, to } from '../../core/router.ts'
import { Named } from '../../core/subs.ts'
import { t } from '../../core/text.ts'
import { toast } from '../../core/toast.ts'
import { compares, span } from '../../core/window.ts'
import { useCostSheet } from '../../parts/cost_place.tsx'
import { Empty, Failed } from '../../parts/state.tsx'
import { ChartPlace } from './chart_place.tsx'
import { Controls } from './controls.tsx'
import { countOf, linesOf, useRows, type Line, type RowLine } from './lines.ts'
import { NarrowLine } from './narrow.tsx'
import { keys, OverTime } from './over_time.tsx'
import { reportWords } from '../../text/reports.ts'
import { BlockSheet } from './block.tsx'
import { refusalOf, SelectionBar, useBlocked, useSelection } from './selection.tsx'
import { Table } from './table.tsx'

// logOf returns the address of the log of a row's clicks, or of its conversions. Dimensions that the log does not have are left
// out.
function logOf(ask: Ask, path: string[]) {
  const query = filterQuery(ask, path),
    sales = isOfSales(query),
    without = sales ? timely : [...timely, ...ofSales]
  return to(
    sales ? '/app/conversions' : '/app/clicks',
    Object.fromEntries(
      Object.entries(query)
        .filter(([name]) => !without.includes(name.slice(2)))
        .map(([name, v]) => [name, v as string[]]),
    ),
  )
}

function toggle(ask: Ask, line: Line) {
  if (line.kind !== 'row' || line.leaf) return
  const key = keyOf(line.path)
  setOpen(line.open ? ask.open.filter(k => k !== key && !k.startsWith(key)) : [...ask.open, key])
}

// `only` filters the report by the values of a row.
const only = (ask: Ask, { path }: RowLine) => change(Object.fromEntries(path.map((value, i) => ['f.' + ask.group[i], [value]])))

// exclude leaves the value of a row out of the report.
function exclude(ask: Ask, { path }: RowLine) {
  const i = ask.flat ? 0 : path.length - 1,
    dimension = ask.group[i]!,
    old = ask.filters.find(f => f.not && f.dimension === dimension)
  setFilter({ dimension, not: true, values: [...new Set([...(old?.values ?? []), path[i]!])] })
}

const none = {}

export function Reports() {
  const ask = currentQuery(),
    { at, retry } = useRows(ask)
  const root = at(''),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the lines depend on what the function at returns for these keys
    lines = useMemo(() => linesOf(ask, at), [JSON.stringify(ask), root, ...ask.open.map(k => at(k).data ?? at(k).error)])
  const [cursor, setCursor] = useState(-1)
  const [sheet, setSheet] = useState<{ path: string[]; name: string } | null>(null)
  const [blocking, setBlocking] = useState<string[][] | null>(null)
  const selection = useSelection(ask, lines),
    isBlocked = useBlocked(ask)
  const [costSheet, openCost] = useCostSheet()
  const table = useRef<HTMLDivElement>(null)
  const focus = (i: number) => {
    setCursor(i)
    table.current?.dispatchEvent(new CustomEvent('reveal', { detail: i }))
  }
  // block opens the sheet that blocks the selected rows or, if none is selected, the given row.
  const block = (line?: Line) => {
    const paths = selection.rows.size ? [...selection.rows.values()] : line?.kind === 'row' ? [line.path] : []
    if (!paths.length || !canWrite()) return
    const refusal = refusalOf(ask, paths)
    if (refusal) toast(refusal, { bad: true })
    else setBlocking(paths)
  }
  const acts: Record<string, (line: RowLine) => void> = {
    b: block,
    f: line => only(ask, line),
    x: line => exclude(ask, line),
    l: line => go(logOf(ask, line.path)),
    t: line => setSheet({ path: line.path, name: line.name }),
    $: line => canWrite() && openCost(targetOfRow(ask, line.path, span.value.span), line.name),
  }
  const overTotal = () => setSheet({ path: [], name: '' })
  const act = (key: string, line: Line | undefined) => {
    if (line?.kind === 'row') acts[key]?.(line)
  }
  useKeys(keys, e => {
    const line = lines[cursor],
      inTable = table.current?.contains(document.activeElement) || document.activeElement === document.body
    const step = (to: number) => {
      if (inTable && lines.length) {
        e.preventDefault()
        const next = Math.max(0, Math.min(lines.length - 1, to))
        if (e.shiftKey) selection.extend(cursor, next)
        focus(next)
      }
    }
    switch (e.key) {
      case 't':
      case 'T':
        if (line) break
        return overTotal()
      case 'ArrowDown':
        return step(cursor + 1)
      case 'ArrowUp':
        if (cursor > 0 || !inTable) return step(cursor - 1)
        e.preventDefault()
        table.current?.querySelector<HTMLElement>('tr.total')?.focus()
        return
      case 'Home':
        return step(0)
      case 'End':
        return step(lines.length - 1)
      case 'ArrowRight':
        if (line?.kind === 'row' && !line.open && inTable) {
          e.preventDefault()
          toggle(ask, line)
        }
        return
      case 'ArrowLeft':
        if (line?.kind !== 'row' || !inTable) return
        e.preventDefault()
        if (line.open) toggle(ask, line)
        else if (line.path.length > 1) step(lines.findIndex(l => l.kind === 'row' && keyOf(l.path) === keyOf(line.path.slice(0, -1))))
        return
      case ' ':
        if (line?.kind !== 'row' || !(e.target as Element).matches('tr, body')) return
        selection.pick(cursor, e.shiftKey)
        return true
      case 'Escape': {
        if (selection.rows.size) return selection.clear()
        const last = ask.filters.at(-1)
        if (last) setFilter({ ...last, values: [] })
        return
      }
      case 'c':
        document.querySelector<HTMLElement>('[data-key=columns]')?.click()
        return
      case 'e':
        document.querySelector<HTMLElement>('[data-key=export]')?.click()
        return
    }
    if (e.key.toLowerCase() === 'b') block(line)
    else act(e.key.toLowerCase(), line)
  })
  const shown = root.data,
    rowCount = shown && countOf(shown, ask)
  const filtered = ask.filters.length > 0 || ask.least > 0 || ask.having.length > 0
  return (
    <Named.Provider value={shown?.sub_names ?? none}>
      <Controls ask={ask} labels={shown?.labels ?? {}} />
      <ChartPlace ask={ask} root={shown} />
      <section class="card report">
        {root.error && !shown ? (
          <Failed error={root.error} again={retry} />
        ) : shown && rowCount === 0 ? (
          <Empty title={filtered ? t.reports.emptyFiltered : t.reports.empty}>
            {filtered && (
              <Button
                type="submit"
                onClick={() =>
                  change({ min: null, h: null, ...Object.fromEntries(ask.filters.map(f => [(f.not ? 'x.' : 'f.') + f.dimension, null])) })
                }
                text={t.reports.clearFilters}
              />
            )}
          </Empty>
        ) : (
          <Table
            box={table}
            ask={ask}
            root={shown}
            rowCount={rowCount ?? 0}
            lines={lines}
            cursor={cursor}
            focus={setCursor}
            toggle={line => toggle(ask, line)}
            act={act}
            retry={retry}
            overTotal={overTotal}
            selection={selection}
            isBlocked={isBlocked}
          />
        )}
        {(shown || !root.error) && <StatusBar ask={ask} rows={rowCount} />}
      </section>
      {selection.rows.size > 0 && (
        <SelectionBar of={selection} ask={ask} total={rowCount ?? 0} more={!!shown?.truncated} block={() => block()} />
      )}
      {blocking && (
        <BlockSheet ask={ask} paths={blocking} close={() => setBlocking(null)} done={() => (setBlocking(null), selection.clear())} />
      )}
      {costSheet}
      {sheet && <OverTime ask={ask} path={sheet.path} name={sheet.name} close={() => setSheet(null)} />}
    </Named.Provider>
  )
}

// noteOf returns the note below a report, which explains unexpected figures.
const noteOf = (ask: Ask) =>
  isOfSales(filterQuery(ask)) ? reportWords.onlySales : ask.group.some(d => ofSales.includes(d)) ? reportWords.apart : overlapOf(ask)
const overlapOf = (ask: Ask) =>
  !(ask.flat ? ask.group : ask.group.slice(0, 1)).includes('tag') ? '' : ask.having.length ? reportWords.overlapKept : reportWords.overlap

// StatusBar shows the number of rows, some keys of the table and the notes on its figures.
const StatusBar = ({ ask, rows }: { ask: Ask; rows?: number }) => (
  <>
    <NarrowLine ask={ask} note={noteOf(ask)} />
    <div class="statusbar wide">
      <span>{rows === undefined ? t.loading : reportWords.rows(rows, count(rows))}</span>
      <span>
        <kbd>↑</kbd> <kbd>↓</kbd> {t.reports.move}
      </span>
      {[
        ...keys.filter(k => ['→', '←', 'F', 'X', ...(blocksRows(ask) ? ['Space', 'B'] : [])].includes(k.key)),
        { key: '?', text: reportWords.allKeys },
      ].map(k => (
        <span key={k.key}>
          <kbd>{k.key}</kbd> {k.text}
        </span>
      ))}
      {noteOf(ask) && <span>{noteOf(ask)}</span>}
      {compares.value && <span>{reportWords.chance}</span>}
    </div>
  </>
)
