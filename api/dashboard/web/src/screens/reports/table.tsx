import { useEffect } from 'preact/hooks'
import { dimensionAt } from '../../core/blocks.ts'
import type { Performance, PerformanceRow } from '../../api.gen.ts'
import { canWrite } from '../../core/can.ts'
import { changeOf, text, type Name } from '../../core/figures.ts'
import { count, decimal, small } from '../../core/format.ts'
import { formulasOf, textInAddress, type Formula } from '../../core/formula.ts'
import { filterQuery, isOfSales, keyOf, orderAt, setSort, type Ask } from '../../core/report.ts'
import { useDimensionName } from '../../core/subs.ts'
import { t } from '../../core/text.ts'
import { compares } from '../../core/window.ts'
import { Icon } from '../../parts/icons.tsx'
import { Bone, Failed } from '../../parts/state.tsx'
import { Gap, Head } from '../../parts/table.tsx'
import { useVirtual } from '../../parts/virtual.ts'
import { w } from '../../text/blocks.ts'
import { reportWords } from '../../text/reports.ts'
import type { Line, RowLine } from './lines.ts'
import { isOnPhone, offTablet, showsAll } from './narrow.tsx'
import type { Selection } from './selection.tsx'

type TableProps = {
  box: { current: HTMLDivElement | null }
  ask: Ask
  root?: Performance
  rowCount: number // number of rows on the first level
  lines: Line[]
  cursor: number
  focus: (i: number) => void
  toggle: (l: Line) => void
  act: (key: string, l: Line) => void
  retry: () => void
  overTotal: () => void
  selection: Selection
  isBlocked: (path: string[]) => boolean
}

// Table renders the rows in sight.
export function Table({ box, ask, root, rowCount, lines, cursor, focus, toggle, act, retry, overTotal, selection, isBlocked }: TableProps) {
  const compare = compares.value,
    height = compare ? 44 : 34
  const { first, last, reveal } = useVirtual(box, lines.length, height, 32 + height)
  useEffect(() => {
    const el = box.current!,
      on = (e: Event) => reveal((e as CustomEvent<number>).detail)
    el.addEventListener('reveal', on)
    return () => el.removeEventListener('reveal', on)
  }, [box, reveal])
  const scale = {
    most: Math.max(1, ...(root?.rows ?? []).map(r => r.clicks)),
    heat: Math.max(1, ...(root?.rows ?? []).map(r => Math.abs(r.profit))),
  }
  const nameOf = useDimensionName(),
    formulas = formulasOf(ask.formulas)
  const what = ask.group.map((d, i) =>
    i ? (
      <span key={d} class="dim">
        {' '}
        › {nameOf(d)}
      </span>
    ) : (
      nameOf(d)
    ),
  )
  const tabbed = cursor >= first && cursor < last ? cursor : first
  return (
    <div class="view" ref={box} tabIndex={-1} role="region" aria-label={t.overview.figuresRegion}>
      <table
        class={(compare ? 'cmp' : '') + (selection.rows.size ? ' picking' : '') + (showsAll.value ? ' allcols' : '')}
        role="treegrid"
        aria-multiselectable="true"
        aria-rowcount={lines.length + 2}
        aria-label={t.reports.title}>
        <thead>
          <tr role="row">
            <Head
              column={{
                name: ask.group[0]!,
                label: <span class="what">{what}</span>,
                title: ask.group.map(nameOf).join(' › '),
                first: true,
                sort: true,
              }}
              sort={orderAt(ask, 0)}
              onSort={sort => setSort(sort, ask.group)}
            />
            {ask.columns.map(n => (
              <Head
                key={n}
                column={{
                  name: n,
                  label: t.figures.names[n],
                  phone: isOnPhone(n),
                  kind: offTablet(n) || undefined,
                  sort: true,
                }}
                sort={orderAt(ask, 0)}
                onSort={sort => setSort(sort, ask.group)}
              />
            ))}
            {formulas.map(f => (
              <Head
                key={f.text}
                column={{
                  name: '=' + textInAddress(f),
                  sort: true,
                  label: (
                    <span class="cut formula" title={f.title}>
                      {f.title}
                    </span>
                  ),
                }}
                sort={orderAt(ask, 0)}
                onSort={sort => setSort(sort, ask.group)}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {root && (
            <tr class="total" role="row" aria-level={1} tabIndex={-1} onFocus={() => focus(-1)}>
              <td class="first" style="--d:0" role="gridcell">
                {root.truncated ? reportWords.totalMore : reportWords.total(rowCount, count(rowCount))}
                <TotalActs act={overTotal} />
              </td>
              {ask.columns.map(n => (
                <Cell key={n} name={n} row={root.totals as PerformanceRow} compare={compare} />
              ))}
              {formulas.map(f => (
                <FormulaCell key={f.text} of={f} row={root.totals as PerformanceRow} />
              ))}
            </tr>
          )}
          <Gap height={first * height} />
          {lines.slice(first, last).map((line, j) => {
            const i = first + j
            return line.kind === 'row' ? (
              <Row
                key={keyOf(line.path)}
                line={line}
                i={i}
                at={i === cursor}
                tabbed={i === tabbed}
                scale={scale}
                ask={ask}
                formulas={formulas}
                focus={focus}
                toggle={toggle}
                act={act}
                selection={selection}
                isBlocked={isBlocked}
              />
            ) : (
              <Missing key={line.kind[0] + String(i)} line={line} ask={ask} retry={retry} />
            )
          })}
          {!root &&
            [0, 1, 2, 3, 4, 5].map(i => (
              <tr key={i} aria-hidden="true">
                <Bones columns={ask.columns} i={i} />
              </tr>
            ))}
          <Gap height={(lines.length - last) * height} />
        </tbody>
      </table>
    </div>
  )
}

const TotalActs = ({ act }: { act: () => void }) => (
  <span class="acts wide" role="group" aria-label={reportWords.actionsOf(reportWords.totalMore)}>
    <button type="button" title={reportWords.overTime} aria-label={reportWords.overTime} onClick={act}>
      <Icon name="reports" />
    </button>
  </span>
)

// Parts shows the values of a row of a flat table. If they do not fit, the last value is cut last, because neighbouring rows often
// differ only in it.
function Parts({ of: name }: { of: string }) {
  const last = name.lastIndexOf(' · ') + 1
  return (
    <>
      {last > 0 && <span class="lead">{name.slice(0, last + 2)}</span>}
      <span>{name.slice(last && last + 2)}</span>
    </>
  )
}

type RowProps = Pick<TableProps, 'ask' | 'focus' | 'toggle' | 'act' | 'selection' | 'isBlocked'> & {
  line: RowLine
  formulas: Formula[]
  i: number
  at: boolean
  tabbed: boolean
  scale: { most: number; heat: number }
}

const Row = ({ line, formulas, i, at, tabbed, scale, ask, focus, toggle, act, selection, isBlocked }: RowProps) => (
  <tr
    role="row"
    data-row={i}
    aria-level={line.level}
    aria-rowindex={i + 3}
    aria-expanded={line.leaf ? undefined : line.open}
    aria-selected={selection.has(line.path)}
    tabIndex={tabbed ? 0 : -1}
    class={(at ? 'at' : '') + (selection.has(line.path) ? ' on' : '')}
    onFocus={() => focus(i)}
    onClick={e => {
      if (!(e.target as Element).closest('button, input')) toggle(line)
    }}>
    <td role="gridcell" class="first" style={`--d:${line.level - 1}`}>
      <input
        type="checkbox"
        class="pick"
        tabIndex={-1}
        aria-label={w.select(line.name)}
        checked={selection.has(line.path)}
        onClick={e => {
          selection.pick(i, e.shiftKey)
          e.currentTarget.closest('tr')!.focus({ preventScroll: true })
        }}
      />
      {ask.flat ? null : line.leaf ? (
        <span class="tw" />
      ) : (
        <button
          type="button"
          class={'tw' + (line.open ? ' open' : '')}
          tabIndex={-1}
          aria-label={(line.open ? reportWords.close : reportWords.open) + ' ' + line.name}
          onClick={() => toggle(line)}>
          <Icon name="right" />
        </button>
      )}
      {line.dimension === 'country' && !ask.flat && line.path.at(-1) && <span class="cc">{line.path.at(-1)}</span>}
      <span class={ask.flat ? 'name parts' : 'name'} title={line.name}>
        {ask.flat ? <Parts of={line.name} /> : line.name}
      </span>
      {isBlocked(line.path) && <span class="tag bad">{w.tag}</span>}
      <span class="acts wide" role="group" aria-label={reportWords.actionsOf(line.name)}>
        {(
          [
            ['f', 'filter', reportWords.onlyThis],
            ['x', 'except', reportWords.exclude],
            ['l', 'clicks', isOfSales(filterQuery(ask, line.path)) ? reportWords.itsConversions : reportWords.itsClicks],
            ['t', 'reports', reportWords.overTime],
            ...(canWrite() && dimensionAt(ask, line.path) >= 0 ? [['b', 'ban', w.block] as const] : []),
            ...(canWrite() ? [['$', 'coin', reportWords.setCost] as const] : []),
          ] as const
        ).map(([key, icon, label]) => (
          <button key={key} type="button" tabIndex={-1} title={label} aria-label={label} onClick={() => act(key, line)}>
            <Icon name={icon} />
          </button>
        ))}
      </span>
    </td>
    {ask.columns.map(n => (
      <Cell key={n} name={n} row={line.row} compare={compares.value} {...scale} />
    ))}
    {formulas.map(f => (
      <FormulaCell key={f.text} of={f} row={line.row} />
    ))}
  </tr>
)

// Missing is shown where rows are not there: they are being loaded, their request has failed, or they are too many.
const Missing = ({ line, ask, retry }: { line: Exclude<Line, { kind: 'row' }>; ask: Ask; retry: () => void }) =>
  line.kind === 'wait' ? (
    <tr role="row" aria-busy="true">
      <Bones columns={ask.columns} depth={line.level - 1} role="gridcell" />
    </tr>
  ) : (
    <tr role="row">
      <td
        role="gridcell"
        colSpan={ask.columns.length + formulasOf(ask.formulas).length + 1}
        class={line.kind === 'error' ? 'first' : 'first dim pad'}>
        {line.kind === 'error' ? <Failed error={line.error} again={retry} /> : reportWords.most(count(line.shown))}
      </td>
    </tr>
  )

// Bones are the cells of a row that is not loaded yet. `i` is the row's number.
const Bones = ({ columns, i = 0, depth = 0, role }: { columns: Name[]; i?: number; depth?: number; role?: 'gridcell' }) => (
  <>
    <td role={role} class="first" style={`--d:${depth}`}>
      <span class="tw" />
      <Bone w={96 - ((i * 17) % 40)} />
    </td>
    {columns.map((n, k) => (
      <td key={n} role={role} class={off(n)}>
        <Bone w={34 + (((k + i) * 7) % 22)} />
      </td>
    ))}
  </>
)

const off = (name: Name) => [isOnPhone(name) ? '' : 'narrow-off', offTablet(name)].filter(Boolean).join(' ')

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

function FormulaCell({ of, row }: { of: Formula; row: PerformanceRow }) {
  const value = of.of(row)
  return (
    <td role="gridcell" class="narrow-off">
      {of.money ? small(value) : decimal(value)}
    </td>
  )
}
