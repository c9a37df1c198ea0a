import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Performance, PerformanceRow } from '../../api.gen.ts'
import { ApiError } from '../../core/call.ts'
import { changeOf, text, type Name } from '../../core/figures.ts'
import { count } from '../../core/format.ts'
import { useKeys } from '../../core/keys.ts'
import { ask as fetchRows, epoch, known } from '../../core/query.ts'
import { asked, filterQuery, keyOf, pathOf, questionOf, setFilter, setOpen, setSort, valueText, type Ask } from '../../core/report.ts'
import { change, go, to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { compares } from '../../core/window.ts'
import { Icon } from '../../parts/icons.tsx'
import { Bone, Empty, Failed } from '../../parts/state.tsx'
import { Controls } from './controls.tsx'
import { useVirtual } from '../../parts/virtual.ts'
import { keys, OverTime } from './over_time.tsx'

type Got = { data?: Performance; error?: ApiError }
type Line =
  | { kind: 'row'; level: number; path: string[]; row: PerformanceRow; name: string; dimension: string; open: boolean; leaf: boolean }
  | { kind: 'wait'; level: number; path: string[] }
  | { kind: 'more'; level: number; path: string[] }
  | { kind: 'error'; level: number; path: string[]; error: ApiError }

// useRows loads the rows below each open place of the tree, and keeps the rows that have arrived.
function useRows(ask: Ask) {
  const [answers, setAnswers] = useState<Record<string, Got>>({})
  const [reloads, setReloads] = useState(0)
  const places = ask.flat ? [''] : ['', ...ask.open.filter(k => pathOf(k).length < ask.group.length)]
  const questions = places.map(k => [k, JSON.stringify(questionOf(ask, pathOf(k)))] as const)
  const all = questions.map(q => q.join()).join('|')
  const of = epoch.value
  const running = useRef(new Map<string, AbortController>())
  useEffect(() => {
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
          if (!stop.signal.aborted)
            setAnswers(now => ({ ...now, [q]: { error: e instanceof ApiError ? e : new ApiError('away', 0, String(e)) } }))
        },
      )
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- all holds the questions
  }, [all, reloads, of])
  useEffect(() => () => running.current.forEach(stop => stop.abort()), [])
  const retry = () => {
    running.current.clear()
    setAnswers({})
    setReloads(n => n + 1)
  }
  const at = (key: string): Got => {
    const q = questions.find(([k]) => k === key)?.[1]
    if (!q) return {}
    return answers[q] ?? { data: known('GET /reports/performance', JSON.parse(q)) }
  }
  return { at, retry }
}

// clicksOf returns the filters of the click log for a row: its values and the filters of the report. It leaves out dimensions of
// time, because the log does not have them.
function clicksOf(ask: Ask, path: string[]): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(filterQuery(ask, path))
      .filter(([name]) => !timely.includes(name.slice(2)))
      .map(([name, v]) => [name, v as string[]]),
  )
}
const timely = ['date', 'hour', 'hour_of_day', 'day_of_week', 'month']

function linesOf(ask: Ask, at: (key: string) => Got): Line[] {
  const out: Line[] = [],
    open = new Set(ask.open)
  const walk = (path: string[]) => {
    const level = path.length + 1,
      got = at(keyOf(path))
    if (got.error) {
      out.push({ kind: 'error', level, path, error: got.error })
      return
    }
    if (!got.data) {
      out.push({ kind: 'wait', level, path }, { kind: 'wait', level, path })
      return
    }
    for (const row of got.data.rows) {
      const dims = ask.flat ? ask.group : [ask.group[path.length]!]
      const name = dims.map(d => valueText(d, row.dims[d]!, got.data!.labels)).join(' · ')
      const below = ask.flat ? dims.map(d => row.dims[d]!) : [...path, row.dims[dims[0]!]!]
      const leaf = ask.flat || below.length >= ask.group.length,
        isOpen = !leaf && open.has(keyOf(below))
      out.push({ kind: 'row', level, path: below, row, name, dimension: dims[0]!, open: isOpen, leaf })
      if (isOpen) walk(below)
    }
    if (got.data.truncated) out.push({ kind: 'more', level, path })
  }
  walk([])
  return out
}

export function Reports() {
  const ask = asked(),
    { at, retry } = useRows(ask)
  const root = at(''),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the lines depend on these answers of at
    lines = useMemo(() => linesOf(ask, at), [JSON.stringify(ask), root, ...ask.open.map(k => at(k).data ?? at(k).error)])
  const [cursor, setCursor] = useState(-1)
  const [sheet, setSheet] = useState<{ path: string[]; name: string } | null>(null)
  const table = useRef<HTMLDivElement>(null)
  const focus = (i: number) => {
    setCursor(i)
    table.current?.dispatchEvent(new CustomEvent('reveal', { detail: i }))
  }
  const toggle = (line: Line) => {
    if (line.kind !== 'row' || line.leaf) return
    const key = keyOf(line.path)
    setOpen(line.open ? ask.open.filter(k => k !== key && !k.startsWith(key)) : [...ask.open, key])
  }
  const only = (line: Line, not: boolean) => {
    if (line.kind !== 'row') return
    const dims = ask.flat ? ask.group : not ? [ask.group[line.path.length - 1]!] : ask.group.slice(0, line.path.length)
    if (not) {
      const d = dims[0]!,
        value = ask.flat ? line.path[0]! : line.path.at(-1)!,
        old = ask.filters.find(f => f.not && f.dimension === d)
      setFilter({ dimension: d, not: true, values: [...new Set([...(old?.values ?? []), value])] })
    } else change(Object.fromEntries(dims.map((d, i) => ['f.' + d, [line.path[i]!]])))
  }
  const act = (key: string, line: Line | undefined) => {
    if (!line || line.kind !== 'row') return false
    switch (key) {
      case 'f':
        only(line, false)
        break
      case 'x':
        only(line, true)
        break
      case 'l':
        go(to('/app/clicks', clicksOf(ask, line.path)))
        break
      case 't':
        setSheet({ path: line.path, name: line.name })
        break
      default:
        return false
    }
    return true
  }
  useKeys(keys, e => {
    const line = lines[cursor],
      inTable = table.current?.contains(document.activeElement) || document.activeElement === document.body
    const step = (to: number) => {
      if (inTable && lines.length) {
        e.preventDefault()
        focus(Math.max(0, Math.min(lines.length - 1, to)))
      }
    }
    switch (e.key) {
      case 'ArrowDown':
        return step(cursor + 1)
      case 'ArrowUp':
        return step(cursor - 1)
      case 'Home':
        return step(0)
      case 'End':
        return step(lines.length - 1)
      case 'ArrowRight':
        if (line?.kind === 'row' && !line.open && inTable) {
          e.preventDefault()
          toggle(line)
        }
        return
      case 'ArrowLeft':
        if (line?.kind !== 'row' || !inTable) return
        e.preventDefault()
        if (line.open) toggle(line)
        else if (line.path.length > 1) step(lines.findIndex(l => l.kind === 'row' && keyOf(l.path) === keyOf(line.path.slice(0, -1))))
        return
      case 'Escape': {
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
    act(e.key.toLowerCase(), line)
  })
  const shown = root.data
  const filtered = ask.filters.length > 0 || ask.least > 0
  return (
    <>
      <Controls ask={ask} labels={shown?.labels ?? {}} />
      <section class="card report">
        {root.error && !shown ? (
          <Failed error={root.error} again={retry} />
        ) : shown && shown.rows.length === 0 ? (
          <Empty title={filtered ? t.reports.emptyFiltered : t.reports.empty}>
            {filtered && (
              <button
                class="btn"
                onClick={() =>
                  change({ min: null, ...Object.fromEntries(ask.filters.map(f => [(f.not ? 'x.' : 'f.') + f.dimension, null])) })
                }>
                {t.reports.clearFilters}
              </button>
            )}
          </Empty>
        ) : (
          <Table
            box={table}
            ask={ask}
            root={shown}
            lines={lines}
            cursor={cursor}
            focus={setCursor}
            toggle={toggle}
            act={act}
            retry={retry}
          />
        )}
        <div class="statusbar wide" hidden={!!root.error && !shown}>
          <span>{shown ? t.reports.rows(shown.rows.length, count(shown.rows.length)) : t.loading}</span>
          <span>
            <kbd>↑</kbd> <kbd>↓</kbd> {t.reports.move}
          </span>
          <span>
            <kbd>→</kbd> {t.reports.opens}
          </span>
          <span>
            <kbd>←</kbd> {t.reports.closes}
          </span>
          <span>
            <kbd>F</kbd> {t.reports.onlyKey}
          </span>
          <span>
            <kbd>X</kbd> {t.reports.exceptKey}
          </span>
          <span>
            <kbd>?</kbd> {t.reports.allKeys}
          </span>
          {compares.value && <span>{t.reports.chance}</span>}
        </div>
      </section>
      {sheet && <OverTime ask={ask} path={sheet.path} name={sheet.name} close={() => setSheet(null)} />}
    </>
  )
}

type TableProps = {
  box: { current: HTMLDivElement | null }
  ask: Ask
  root?: Performance
  lines: Line[]
  cursor: number
  focus: (i: number) => void
  toggle: (l: Line) => void
  act: (key: string, l: Line) => boolean
  retry: () => void
}
// Table renders the rows in sight.
function Table({ box, ask, root, lines, cursor, focus, toggle, act, retry }: TableProps) {
  const compare = compares.value,
    height = compare ? 44 : 34
  const { first, last, reveal } = useVirtual(box, lines.length, height, 32 + height)
  useEffect(() => {
    const el = box.current!,
      on = (e: Event) => reveal((e as CustomEvent<number>).detail)
    el.addEventListener('reveal', on)
    return () => el.removeEventListener('reveal', on)
  }, [box, reveal])
  const most = Math.max(1, ...(root?.rows ?? []).map(r => r.clicks)),
    heat = Math.max(1, ...(root?.rows ?? []).map(r => Math.abs(r.profit)))
  const what = ask.group.map((d, i) =>
    i ? (
      <span key={d} class="dim">
        {' '}
        › {t.dimensions[d]}
      </span>
    ) : (
      t.dimensions[d]
    ),
  )
  const tabbed = cursor >= first && cursor < last ? cursor : first
  return (
    <div class="view" ref={box} tabIndex={-1} role="region" aria-label={t.overview.figuresRegion}>
      <table class={compare ? 'cmp' : ''} role="treegrid" aria-rowcount={lines.length + 2} aria-label={t.reports.title}>
        <thead>
          <tr role="row">
            <th class="first" role="columnheader" title={ask.group.map(d => t.dimensions[d]).join(' › ')}>
              <span class="what">{what}</span>
            </th>
            {ask.columns.map(n => (
              <Head key={n} name={n} sort={ask.sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {root && (
            <tr class="total" role="row" aria-level={1}>
              <td class="first" style="--d:0" role="gridcell">
                {root.truncated ? t.reports.totalMore : t.reports.total(root.rows.length, count(root.rows.length))}
              </td>
              {ask.columns.map(n => (
                <Cell key={n} name={n} row={root.totals as PerformanceRow} compare={compare} />
              ))}
            </tr>
          )}
          {first > 0 && (
            <tr class="gap" aria-hidden="true">
              <td style={`--h:${first * height}px`} />
            </tr>
          )}
          {lines.slice(first, last).map((line, j) => {
            const i = first + j
            if (line.kind === 'wait')
              return (
                <tr key={'w' + i} role="row" aria-busy="true">
                  <td role="gridcell" class="first" style={`--d:${line.level - 1}`}>
                    <span class="tw" />
                    <Bone w={96} />
                  </td>
                  {ask.columns.map((n, k) => (
                    <td key={n} role="gridcell" class={off(n)}>
                      <Bone w={34 + ((k * 7) % 22)} />
                    </td>
                  ))}
                </tr>
              )
            if (line.kind === 'error')
              return (
                <tr key={'e' + i} role="row">
                  <td role="gridcell" colSpan={ask.columns.length + 1} class="first">
                    <Failed error={line.error} again={retry} />
                  </td>
                </tr>
              )
            if (line.kind === 'more')
              return (
                <tr key={'m' + i} role="row">
                  <td role="gridcell" colSpan={ask.columns.length + 1} class="first dim pad">
                    {t.reports.most(count(1000))}
                  </td>
                </tr>
              )
            return (
              <tr
                key={keyOf(line.path)}
                role="row"
                data-row={i}
                aria-level={line.level}
                aria-rowindex={i + 3}
                aria-expanded={line.leaf ? undefined : line.open}
                tabIndex={i === tabbed ? 0 : -1}
                class={i === cursor ? 'at' : ''}
                onFocus={() => focus(i)}
                onClick={e => {
                  if (!(e.target as Element).closest('button')) toggle(line)
                }}>
                <td role="gridcell" class="first" style={`--d:${line.level - 1}`}>
                  {line.leaf ? (
                    <span class="tw" />
                  ) : (
                    <button
                      type="button"
                      class={'tw' + (line.open ? ' open' : '')}
                      tabIndex={-1}
                      aria-label={(line.open ? t.reports.close : t.reports.open) + ' ' + line.name}
                      onClick={() => toggle(line)}>
                      <Icon name="right" />
                    </button>
                  )}
                  {line.dimension === 'country' && !ask.flat && line.path.at(-1) && <span class="cc">{line.path.at(-1)}</span>}
                  <span class="name" title={line.name}>
                    {line.name}
                  </span>
                  <span class="acts wide" role="group" aria-label={t.reports.actionsOf(line.name)}>
                    {(
                      [
                        ['f', 'filter', t.reports.onlyThis],
                        ['x', 'except', t.reports.exclude],
                        ['l', 'clicks', t.reports.itsClicks],
                        ['t', 'reports', t.reports.overTime],
                      ] as const
                    ).map(([key, icon, label]) => (
                      <button key={key} type="button" tabIndex={-1} title={label} aria-label={label} onClick={() => act(key, line)}>
                        <Icon name={icon} />
                      </button>
                    ))}
                  </span>
                </td>
                {ask.columns.map(n => (
                  <Cell key={n} name={n} row={line.row} compare={compare} most={most} heat={heat} />
                ))}
              </tr>
            )
          })}
          {!root &&
            [0, 1, 2, 3, 4, 5].map(i => (
              <tr key={i} aria-hidden="true">
                <td class="first" style="--d:0">
                  <span class="tw" />
                  <Bone w={96 - ((i * 17) % 40)} />
                </td>
                {ask.columns.map((n, k) => (
                  <td key={n} class={off(n)}>
                    <Bone w={34 + (((k + i) * 7) % 22)} />
                  </td>
                ))}
              </tr>
            ))}
          {last < lines.length && (
            <tr class="gap" aria-hidden="true">
              <td style={`--h:${(lines.length - last) * height}px`} />
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}

const narrow: Name[] = ['clicks', 'profit', 'roi']
const off = (name: Name) => (narrow.includes(name) ? '' : 'narrow-off')

function Head({ name, sort }: { name: Name; sort: string }) {
  const on = sort.replace('-', '') === name,
    down = sort[0] === '-'
  return (
    <th role="columnheader" class={off(name) + (on ? ' sorted' : '')} aria-sort={on ? (down ? 'descending' : 'ascending') : 'none'}>
      <button type="button" onClick={() => setSort(on && down ? name : '-' + name)}>
        {t.figures.names[name]}
        {on && (
          <>
            {' '}
            <svg class="i" viewBox="0 0 24 24" aria-hidden="true">
              <path d={down ? 'm6 9 6 6 6-6' : 'm6 15 6-6 6 6'} />
            </svg>
          </>
        )}
      </button>
    </th>
  )
}

function Cell({ name, row, compare, most, heat }: { name: Name; row: PerformanceRow; compare: boolean; most?: number; heat?: number }) {
  const hot = heat && (name === 'profit' || name === 'roi') && row.profit !== 0
  const strength = hot ? Math.min(100, 18 + (Math.abs(row.profit) / heat) * 82) : 0
  const c = compare ? changeOf(name, row, row.compare ?? undefined) : null
  const classes = [
    off(name),
    name === 'clicks' && most ? 'cell' : '',
    hot ? 'heat' + (row.profit < 0 ? ' neg' : '') : '',
    name === 'profit' ? 'profit' : '',
  ]
    .filter(Boolean)
    .join(' ')
  return (
    <td role="gridcell" class={classes} style={hot ? `--h:${strength.toFixed(0)}%` : undefined}>
      {text(row, name)}
      {c && <small class={c.tone}>{c.text || '\u00a0'}</small>}
      {name === 'clicks' && most && <i style={`width:${Math.min(90, (row.clicks / most) * 90)}%`} />}
    </td>
  )
}
