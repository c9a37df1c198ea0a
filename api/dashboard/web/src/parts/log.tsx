import { useRef } from 'preact/hooks'
import type { ComponentChildren, RefObject } from 'preact'
import type { Calls } from '../api.gen.ts'
import type { ApiError } from '../core/call.ts'
import { count } from '../core/format.ts'
import { useKeys, type Key } from '../core/keys.ts'
import { idOf, isClickID, useLog, type LogRow } from '../core/log.ts'
import { currentQuery, filterQuery, ofSales } from '../core/report.ts'
import { change, place } from '../core/router.ts'
import { Named, type SubNames } from '../core/subs.ts'
import { t } from '../core/text.ts'
import { span } from '../core/window.ts'
import { Filters } from './filters.tsx'
import { Icon } from './icons.tsx'
import { Empty, Loading } from './state.tsx'
import { stepsOf, type Steps } from './stepper.tsx'
import { Table, type Column } from './table.tsx'

const noNames: SubNames = {}

type LogName = 'GET /logs/clicks' | 'GET /logs/conversions'
type Props<R extends LogName> = {
  row: R
  query: Calls[R]['query'] // the query without the window, the filters and the id that is searched
  every: (open: boolean) => number // the seconds between requests for new rows
  otherID: 'external_id' | 'conversion_id' // the id that a search looks for if the typed text does not have the form of a click id
  at: string // the parameter of the page's address that holds the id of the open row
  label: string
  find: string
  keys: Key[]
  columns: Column<LogRow<R>>[]
  nameOf: (r: LogRow<R>) => string
  rowClass?: (r: LogRow<R>) => string
  fixed?: string // a dimension that the query already fixes, so it has no filter
  filtered: boolean
  choice: ComponentChildren
  beside: ComponentChildren
  note?: string
  empty: { title: string; filtered: string; more?: string }
  sheet: (id: string, step: Steps, close: () => void, row?: LogRow<R>) => ComponentChildren
}

// Log shows a log, newest first, with the filters in the address.
export function Log<R extends LogName>(p: Props<R>) {
  const q = place.value.query,
    ask = { ...currentQuery(), least: 0, having: [] },
    open = q.get(p.at),
    text = q.get('find') ?? '',
    search = useRef<HTMLInputElement>(null)
  const log = useLog(
    p.row,
    {
      from: span.value.from,
      to: span.value.to,
      ...filterQuery(ask),
      ...p.query,
      ...(text ? { [isClickID(text) ? 'click_id' : p.otherID]: text } : {}),
    },
    p.every(!!open),
  )
  const show = (id: string | null) => change({ [p.at]: id }, true),
    at = log.rows?.findIndex(r => idOf(r) === open) ?? -1
  useKeys(p.keys, e => {
    if (e.key === '/') {
      search.current?.focus()
      return true
    }
  })
  const filtered = p.filtered || ask.filters.length > 0 || text !== ''
  const names = log.head && 'sub_names' in log.head ? (log.head.sub_names as SubNames) : noNames
  return (
    <Named.Provider value={names}>
      <div class="line filters">
        <SearchBox label={p.find} of={search} />
        {p.choice}
        <span class="grow" />
        {p.beside}
      </div>
      <div class="filterline">
        <Filters
          ask={{ ...ask, filters: ask.filters.filter(f => f.dimension !== p.fixed) }}
          labels={{}}
          counts={false}
          without={p.row === 'GET /logs/clicks' ? ofSales : undefined}
        />
      </div>
      <section class="card report lists clicklog even">
        <LogRows
          log={log}
          label={p.label}
          columns={p.columns}
          nameOf={p.nameOf}
          rowClass={p.rowClass}
          height={44}
          late={300}
          show={r => show(idOf(r))}
          empty={
            <Empty title={filtered ? p.empty.filtered : p.empty.title}>
              {!filtered && p.empty.more && <p class="dim">{p.empty.more}</p>}
            </Empty>
          }
        />
        <Foot loaded={log.rows?.length ?? 0} end={log.end} note={p.note} />
      </section>
      {open &&
        p.sheet(
          open,
          stepsOf(log.rows, at, r => show(idOf(r))),
          () => show(null),
          log.rows?.[at],
        )}
    </Named.Provider>
  )
}

// SearchBox edits the search text of a log, which is in the address.
export function SearchBox({ label, of }: { label: string; of: RefObject<HTMLInputElement | null> }) {
  const text = place.value.query.get('find') ?? ''
  return (
    <form
      class="input searchbox"
      onSubmit={e => {
        e.preventDefault()
        change({ find: of.current!.value.trim() || null })
      }}>
      <Icon name="search" />
      <input
        ref={of}
        type="search"
        maxLength={255}
        aria-label={label}
        placeholder={label}
        defaultValue={text}
        key={text}
        onSearch={e => {
          if (!e.currentTarget.value) change({ find: null })
        }}
      />
      <kbd class="wide">/</kbd>
    </form>
  )
}

type RowsProps<R> = {
  log: { rows?: R[]; error: ApiError | undefined; again: () => void; more: () => void }
  label: string
  columns: Column<R>[]
  nameOf: (r: R) => string
  rowClass?: (r: R) => string
  height: number
  late: number // the height of the grey area that is shown while the log loads
  show: (r: R) => void
  empty: ComponentChildren
}

// LogRows shows the rows of a log, or that it is loading, has failed or is empty.
export const LogRows = <R extends { id: string } | { click_id: string }>({ log, show, late, empty, ...table }: RowsProps<R>) =>
  !log.rows ? (
    <Loading of={log} height={late} />
  ) : log.rows.length === 0 ? (
    <>{empty}</>
  ) : (
    <Table {...table} rows={log.rows} keyOf={idOf} onOpen={show} onEnd={log.more} tall />
  )

// Foot shows how many rows of a log are loaded, a note, and the keys that move in the log and open a row.
export const Foot = ({ loaded, end, note }: { loaded: number; end: boolean; note?: string }) =>
  loaded > 0 ? (
    <div class="statusbar">
      <span>{t.clicks.loaded(count(loaded))}</span>
      {!end && <span class="wide">{t.clicks.more}</span>}
      {note && <span>{note}</span>}
      <span class="grow" />
      <span class="wide">
        <kbd>J</kbd> <kbd>K</kbd> {t.reports.move}
      </span>
      <span class="wide">
        <kbd>O</kbd> {t.palette.open}
      </span>
    </div>
  ) : null
