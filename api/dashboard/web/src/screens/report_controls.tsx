import { useState } from 'preact/hooks'
import type { Performance } from '../api.gen.ts'
import { makeExport } from '../core/export.ts'
import { names, type Name } from '../core/figures.ts'
import { count } from '../core/format.ts'
import { use } from '../core/query.ts'
import { mostDimensions, setColumns, setFilter, setGroup, valueText, windowQuery, type Ask, type Filter } from '../core/report.ts'
import { change } from '../core/router.ts'
import { t } from '../core/text.ts'
import { Icon } from '../parts/icons.tsx'
import { Item, Menu } from '../parts/menu.tsx'
import { Views } from './report_views.tsx'

type Labels = Performance['labels']
const dimensions = Object.keys(t.dimensions)

// Controls edits the grouping, the filters and the columns of a report.
export function Controls({ ask, labels }: { ask: Ask; labels: Labels }) {
  const [open, setOpen] = useState(false)
  const lines = (
    <>
      <Groups ask={ask} />
      <Filters ask={ask} labels={labels} />
    </>
  )
  return (
    <>
      <button type="button" class="btn phone" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="filter" />
        {t.reports.grouped(ask.group.length, ask.filters.length + (ask.least ? 1 : 0))}
      </button>
      <div class={open ? '' : 'wide'}>{lines}</div>
    </>
  )
}

function Groups({ ask }: { ask: Ask }) {
  const left = dimensions.filter(d => !ask.group.includes(d)),
    g = ask.group
  const drop = (to: number, e: DragEvent) => {
    e.preventDefault()
    const from = Number(e.dataTransfer?.getData('text/plain')),
      next = [...g],
      [moved] = next.splice(from, 1)
    if (moved) {
      next.splice(to, 0, moved)
      setGroup(next)
    }
  }
  return (
    <div class="line" role="group" aria-label={t.reports.group}>
      <span class="dim">{t.reports.group}</span>
      {g.map((d, i) => (
        <>
          {i > 0 && (
            <span class="dim" key={d + '-'}>
              <Icon name="right" />
            </span>
          )}
          <span
            key={d}
            class="chip"
            draggable
            onDragStart={e => e.dataTransfer?.setData('text/plain', String(i))}
            onDragOver={e => e.preventDefault()}
            onDrop={e => drop(i, e)}>
            {i > 0 && (
              <button
                type="button"
                class="step"
                aria-label={t.reports.earlier(t.dimensions[d]!)}
                title={t.reports.earlier(t.dimensions[d]!)}
                onClick={() => setGroup([...g.slice(0, i - 1), d, g[i - 1]!, ...g.slice(i + 1)])}>
                <svg class="i" viewBox="0 0 24 24" aria-hidden="true">
                  <path d="m15 6-6 6 6 6" />
                </svg>
              </button>
            )}
            <b>{t.dimensions[d]}</b>
            {g.length > 1 && (
              <button type="button" aria-label={t.reports.remove(t.dimensions[d]!)} onClick={() => setGroup(g.filter(o => o !== d))}>
                <Icon name="x" />
              </button>
            )}
          </span>
        </>
      ))}
      {g.length < mostDimensions && (
        <Menu
          kind="chip add"
          name={t.reports.addDimension}
          label={
            <>
              <Icon name="plus" />
              {t.reports.add(g.length)}
            </>
          }>
          {close => (
            <Choices
              list={left}
              text={d => t.dimensions[d]!}
              pick={d => {
                setGroup([...g, d])
                close()
              }}
            />
          )}
        </Menu>
      )}
      <span class="grow" />
      <span class="seg" role="group" aria-label={t.reports.shape}>
        <button type="button" aria-pressed={!ask.flat} onClick={() => change({ flat: null, o: null })}>
          {t.reports.tree}
        </button>
        <button type="button" aria-pressed={ask.flat} onClick={() => change({ flat: '1', o: null })}>
          {t.reports.flat}
        </button>
      </span>
      <Views ask={ask} />
      <Columns ask={ask} />
      <Export ask={ask} />
    </div>
  )
}

// Choices shows a list with a search.
function Choices({
  list,
  text,
  pick,
  on,
  side,
}: {
  list: string[]
  text: (v: string) => string
  pick: (v: string) => void
  on?: (v: string) => boolean
  side?: (v: string) => string
}) {
  const [search, setSearch] = useState('')
  return (
    <>
      <input
        class="input search"
        type="search"
        aria-label={t.reports.search}
        placeholder={t.reports.search}
        value={search}
        onInput={e => setSearch(e.currentTarget.value)}
      />
      <div class="searches">
        {list
          .filter(v => text(v).toLowerCase().includes(search.toLowerCase()))
          .map(v => (
            <Item key={v} pressed={on?.(v)} on={() => pick(v)}>
              {text(v)}
              {side && (
                <>
                  <span class="grow" />
                  <span class="dim num">{side(v)}</span>
                </>
              )}
            </Item>
          ))}
      </div>
    </>
  )
}

function Columns({ ask }: { ask: Ask }) {
  const set = (name: Name) => {
    const next = ask.columns.includes(name) ? ask.columns.filter(n => n !== name) : [...ask.columns, name]
    if (next.length) setColumns(next)
  }
  return (
    <Menu
      name={t.reports.columns}
      label={
        <>
          <span data-key="columns" hidden />
          <Icon name="columns" />
          {t.reports.columns} <span class="dim">{ask.columns.length}</span>
        </>
      }>
      {() => (
        <>
          {names.map(n => (
            <Item key={n} pressed={ask.columns.includes(n)} on={() => set(n)}>
              <span style={ask.columns.includes(n) ? '' : 'visibility:hidden'}>
                <Icon name="check" />
              </span>
              {t.figures.names[n]}
            </Item>
          ))}
        </>
      )}
    </Menu>
  )
}

// Filters edits the filters in the address. With counts a minimum number of clicks can be set too.
export function Filters({ ask, labels, counts = true }: { ask: Ask; labels: Labels; counts?: boolean }) {
  return (
    <div class="line" role="group" aria-label={t.reports.only}>
      <span class="dim">{t.reports.only}</span>
      {ask.filters.map(f => (
        <FilterChip key={f.dimension + f.not} filter={f} labels={labels} />
      ))}
      {ask.least > 0 && (
        <span class="chip on">
          {t.reports.atLeast} <b>≥ {count(ask.least)}</b>
          <button type="button" aria-label={t.reports.remove(t.reports.minClicks)} onClick={() => change({ min: null })}>
            <Icon name="x" />
          </button>
        </span>
      )}
      <AddFilter ask={ask} counts={counts} />
    </div>
  )
}

// FilterChip names its values, including values that the table no longer shows.
function FilterChip({ filter: f, labels }: { filter: Filter; labels: Labels }) {
  const ids = f.dimension.endsWith('_id')
  const { data } = use('GET /reports/values', ids ? { ...windowQuery(), dimension: f.dimension, limit: 1000 } : null)
  const all = { ...labels, [f.dimension]: { ...labels[f.dimension], ...data?.labels } },
    name = t.dimensions[f.dimension]!
  return (
    <span class="chip on">
      {f.not ? t.reports.isNot(name) : t.reports.is(name)}{' '}
      {f.values.map((v, i) => (
        <>
          {i > 0 && ` ${t.reports.or} `}
          <b>{valueText(f.dimension, v, all)}</b>
        </>
      ))}
      <button type="button" aria-label={t.reports.remove(name)} onClick={() => setFilter({ ...f, values: [] })}>
        <Icon name="x" />
      </button>
    </span>
  )
}

function AddFilter({ ask, counts }: { ask: Ask; counts: boolean }) {
  const [dimension, setDimension] = useState<string>(),
    [negated, setNegated] = useState(false),
    [minimum, setMinimum] = useState('')
  return (
    <Menu
      kind="chip add"
      name={t.reports.filter}
      onOpen={() => setDimension(undefined)}
      label={
        <>
          <Icon name="plus" />
          {t.reports.filter}
        </>
      }>
      {close =>
        dimension ? (
          <>
            <div class="row">
              <span class="seg" role="group" aria-label={t.dimensions[dimension]}>
                <button type="button" aria-pressed={!negated} onClick={() => setNegated(false)}>
                  {t.reports.is(t.dimensions[dimension]!)}
                </button>
                <button type="button" aria-pressed={negated} onClick={() => setNegated(true)}>
                  {t.reports.isNot(t.dimensions[dimension]!)}
                </button>
              </span>
            </div>
            <Values dimension={dimension} not={negated} ask={ask} />
            <button type="button" class="btn sm" onClick={close}>
              {t.reports.done}
            </button>
          </>
        ) : (
          <>
            <Choices list={dimensions} text={d => t.dimensions[d]!} pick={setDimension} />
            {counts && (
              <form
                onSubmit={e => {
                  e.preventDefault()
                  change({ min: Number(minimum) > 0 ? minimum : null })
                  close()
                }}>
                <label class="field">
                  <span>{t.reports.minClicks}</span>
                  <input class="input" type="number" min="1" value={minimum} onInput={e => setMinimum(e.currentTarget.value)} />
                </label>
                <button class="btn sm">{t.reports.set}</button>
              </form>
            )}
          </>
        )
      }
    </Menu>
  )
}

function Values({ dimension, not, ask }: { dimension: string; not: boolean; ask: Ask }) {
  const { data } = use('GET /reports/values', { ...windowQuery(), dimension, limit: 500 })
  const filter = ask.filters.find(f => f.dimension === dimension && f.not === not) ?? { dimension, not, values: [] }
  const clicks = new Map(data?.values.map(v => [v.value, v.clicks]))
  const pick = (v: string) =>
    setFilter({ ...filter, values: filter.values.includes(v) ? filter.values.filter(o => o !== v) : [...filter.values, v] })
  return data ? (
    <Choices
      list={[...clicks.keys()]}
      text={v => valueText(dimension, v, { [dimension]: data.labels })}
      pick={pick}
      on={v => filter.values.includes(v)}
      side={v => count(clicks.get(v))}
    />
  ) : (
    <p class="dim none">{t.loading}</p>
  )
}

// Export makes a file of all rows as a background job. The tray shows it.
function Export({ ask }: { ask: Ask }) {
  const filters = ask.filters.flatMap(f => f.values.map(value => ({ dimension: f.dimension, value, not: f.not })))
  return (
    <button
      type="button"
      class="btn"
      data-key="export"
      onClick={() => {
        makeExport({ kind: 'performance', dimension: ask.group.join(','), filters }).catch(() => undefined)
      }}>
      <Icon name="download" />
      {t.reports.exportIt}
    </button>
  )
}
