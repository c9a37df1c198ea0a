import { useEffect, useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { t } from '../core/text.ts'
import { Icon } from './icons.tsx'
import { useVirtual } from './virtual.ts'

// Column is a column of a table. With `phone` or `first`, the column stays on a narrow screen. With `sort`, rows can be ordered by
// the column. With `first`, it is the column of names, and the first press on its heading orders ascending.
export type Column<R> = {
  name: string
  label: string
  cell: (row: R) => ComponentChildren
  kind?: string
  phone?: boolean
  sort?: boolean
  first?: boolean
  left?: boolean
  width?: number
}

type Props<R> = {
  label: string
  rows: R[]
  columns: Column<R>[]
  keyOf: (row: R) => string
  nameOf: (row: R) => string
  height?: number
  sort?: string
  onSort?: (sort: string) => void
  selected?: Set<string>
  onSelect?: (keys: Set<string>) => void
  onOpen?: (row: R) => void
  onKey?: (key: string, row: R) => boolean
  rowClass?: (row: R) => string
  total?: ComponentChildren
  onEnd?: () => void
  tall?: boolean
}

const head = 32 // the height of the row of headings

// Table shows rows of equal height, and renders only the rows in sight. The arrow keys move, Enter opens and Space selects.
export function Table<R>(p: Props<R>) {
  const height = p.height ?? 38,
    box = useRef<HTMLDivElement>(null),
    { first, last, reveal } = useVirtual(box, p.rows.length, height, head)
  const [cursor, setCursor] = useState(-1),
    anchor = useRef(-1)
  useEffect(() => {
    if (p.onEnd && last >= p.rows.length) p.onEnd()
    // eslint-disable-next-line react-hooks/exhaustive-deps -- onEnd is a new function in each render
  }, [last, p.rows.length])
  const pick = (i: number, range: boolean) => {
    const next = new Set(p.selected),
      key = p.keyOf(p.rows[i]!)
    if (range && anchor.current >= 0)
      for (let j = Math.min(i, anchor.current); j <= Math.max(i, anchor.current); j++) next.add(p.keyOf(p.rows[j]!))
    else if (!next.delete(key)) next.add(key)
    anchor.current = i
    p.onSelect?.(next)
  }
  const step = (e: KeyboardEvent, to: number) => {
    e.preventDefault()
    const i = Math.max(0, Math.min(p.rows.length - 1, to))
    setCursor(i)
    reveal(i)
  }
  const press = (e: KeyboardEvent) => {
    if ((e.target as Element).closest('input, select, textarea, [popover], dialog') || e.ctrlKey || e.metaKey || e.altKey) return
    const row = p.rows[cursor],
      onRow = (e.target as Element).matches('tr')
    switch (e.key) {
      case 'ArrowDown':
      case 'j':
        return step(e, cursor + 1)
      case 'ArrowUp':
      case 'k':
        return step(e, cursor - 1)
      case 'Home':
        return step(e, 0)
      case 'End':
        return step(e, p.rows.length - 1)
      case 'PageDown':
        return step(e, cursor + 15)
      case 'PageUp':
        return step(e, cursor - 15)
    }
    if (!row) return
    if (onRow && (e.key === 'Enter' || e.key === 'o')) {
      e.preventDefault()
      p.onOpen?.(row)
    } else if (onRow && e.key === ' ' && p.onSelect) {
      e.preventDefault()
      pick(cursor, e.shiftKey)
    } else if (p.onKey?.(e.key.toLowerCase(), row)) e.preventDefault()
  }
  const allSelected = p.rows.length > 0 && p.rows.every(r => p.selected?.has(p.keyOf(r))),
    tabbed = cursor >= first && cursor < last ? cursor : first
  return (
    <div
      class={'view' + (p.tall ? ' tall' : '')}
      ref={box}
      tabIndex={p.rows.length ? -1 : 0}
      role="region"
      aria-label={p.label}
      onKeyDown={press}>
      <table
        class="listing"
        style={`--row:${height}px`}
        role="grid"
        aria-label={p.label}
        aria-rowcount={p.rows.length + 1}
        aria-multiselectable={p.onSelect ? true : undefined}>
        <thead>
          <tr role="row">
            {p.onSelect && (
              <th role="columnheader" class="check">
                <input
                  type="checkbox"
                  aria-label={t.parts.selectAll}
                  checked={allSelected}
                  onChange={() => p.onSelect!(allSelected ? new Set() : new Set(p.rows.map(p.keyOf)))}
                />
              </th>
            )}
            {p.columns.map(c => (
              <Head key={c.name} column={c} sort={p.sort} onSort={p.onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap height={first * height} />
          {p.rows.slice(first, last).map((row, j) => {
            const i = first + j,
              key = p.keyOf(row),
              on = p.selected?.has(key)
            return (
              <tr
                key={key}
                role="row"
                data-row={i}
                aria-rowindex={i + 2}
                aria-selected={p.onSelect ? !!on : undefined}
                tabIndex={i === tabbed ? 0 : -1}
                class={(i === cursor ? 'at ' : '') + (on ? 'on ' : '') + (p.rowClass?.(row) ?? '') + (p.onOpen ? ' opens' : '')}
                onFocus={() => setCursor(i)}
                onClick={e => {
                  if (!(e.target as Element).closest('a, button, input, select, label, [popover]')) p.onOpen?.(row)
                }}>
                {p.onSelect && (
                  <td role="gridcell" class="check">
                    <input
                      type="checkbox"
                      tabIndex={-1}
                      aria-label={t.parts.select(p.nameOf(row))}
                      checked={!!on}
                      onClick={e => {
                        pick(i, e.shiftKey)
                      }}
                    />
                  </td>
                )}
                {p.columns.map(c => (
                  <td key={c.name} role="gridcell" class={classOf(c)}>
                    {c.cell(row)}
                  </td>
                ))}
              </tr>
            )
          })}
          <Gap height={(p.rows.length - last) * height} />
          {p.total}
        </tbody>
      </table>
    </div>
  )
}

// Gap is an empty row in place of the rows that are out of sight. It has a single cell without colspan, because a cell that spans all
// columns would also add the columns that a narrow screen hides.
export const Gap = ({ height }: { height: number }) =>
  height > 0 ? (
    <tr class="gap" aria-hidden="true">
      <td style={`--h:${height}px`} />
    </tr>
  ) : null

const classOf = (c: HeadProps['column']) =>
  [c.phone || c.first ? '' : 'narrow-off', c.first ? 'first' : '', c.left ? 'left' : '', c.kind ?? ''].filter(Boolean).join(' ')

type HeadProps = {
  column: Omit<Column<never>, 'cell' | 'label'> & { label: ComponentChildren; title?: string }
  sort?: string
  onSort?: (sort: string) => void
}

export function Head({ column: c, sort, onSort }: HeadProps) {
  const on = sort?.replace(/^-/, '') === c.name,
    down = sort?.[0] === '-',
    style = c.width ? `width:${c.width}px` : undefined
  if (!c.sort || !onSort)
    return (
      <th role="columnheader" class={classOf(c)} style={style}>
        {c.label || <span class="hidden">{t.palette.actions}</span>}
      </th>
    )
  return (
    <th
      role="columnheader"
      class={classOf(c) + (on ? ' sorted' : '')}
      style={style}
      title={c.title}
      aria-sort={on ? (down ? 'descending' : 'ascending') : 'none'}>
      <button type="button" onClick={() => onSort((on ? down : c.first) ? c.name : '-' + c.name)}>
        {c.label}
        {on && (
          <>
            {' '}
            <Icon name={down ? 'down' : 'upward'} />
          </>
        )}
      </button>
    </th>
  )
}
