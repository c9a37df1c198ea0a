import { useState } from 'preact/hooks'
import type { Performance } from '../api.gen.ts'
import { Button } from './button.tsx'
import { figureName, names, type Name } from '../core/figures.ts'
import { count } from '../core/format.ts'
import { use } from '../core/query.ts'
import { mostBounds, ofSales, setFilter, valueText, type Ask, type Dimension, type Filter } from '../core/report.ts'
import { change } from '../core/router.ts'
import { useDimensionName } from '../core/subs.ts'
import { t } from '../core/text.ts'
import { windowQuery } from '../core/window.ts'
import { BoundChip, BoundEditor } from './bounds.tsx'
import { Chip } from './chip.tsx'
import { Seg } from './form.tsx'
import { Icon } from './icons.tsx'
import { Choices, DimensionChoices } from './choices.tsx'
import { Menu } from './menu.tsx'

type Labels = Performance['labels']
const dimensions = Object.keys(t.dimensions)

type FiltersProps = { ask: Ask; labels: Labels; counts?: boolean; without?: string[] }

// Filters shows and edits the filters in the page's address. The dimensions in `without` are not offered for new filters. If `counts`
// is true, a minimum number of clicks and conditions on figures can be added too.
export function Filters({ ask, labels, counts = true, without = [] }: FiltersProps) {
  return (
    <div class="line" role="group" aria-label={t.reports.only}>
      <span class="dim">{t.reports.only}</span>
      {ask.filters.map(f => (
        <FilterChip key={f.dimension + f.not} filter={f} labels={labels} ask={ask} />
      ))}
      {ask.least > 0 && (
        <span class="chip on">
          {t.figures.names.clicks} <b>≥ {count(ask.least)}</b>
          <button type="button" aria-label={t.reports.remove(t.reports.minClicks)} onClick={() => change({ min: null })}>
            <Icon name="x" />
          </button>
        </span>
      )}
      {ask.having.map((b, i) => (
        <BoundChip key={b.figure + b.op} ask={ask} at={i} />
      ))}
      <AddFilter ask={ask} counts={counts} dimensions={dimensions.filter(d => !without.includes(d))} />
    </div>
  )
}

// FilterChip names its values, including values that the table no longer shows.
function FilterChip({ filter: f, labels, ask }: { filter: Filter; labels: Labels; ask: Ask }) {
  const ids = f.dimension.endsWith('_id')
  const { data } = use('GET /reports/values', ids ? { ...windowQuery(), dimension: f.dimension as Dimension, limit: 1000 } : null)
  const allLabels = { ...labels, [f.dimension]: { ...labels[f.dimension], ...data?.labels } },
    name = useDimensionName()(f.dimension)
  return (
    <Chip
      name={name}
      label={
        <>
          {f.not ? t.reports.isNot(name) : t.reports.is(name)}{' '}
          {f.values.map((v, i) => (
            <>
              {i > 0 && ` ${t.reports.or} `}
              <b>{valueText(f.dimension, v, allLabels)}</b>
            </>
          ))}
        </>
      }
      remove={() => setFilter({ ...f, values: [] })}>
      {close => <FilterEditor dimension={f.dimension} negated={f.not} ask={ask} close={close} />}
    </Chip>
  )
}

type EditorProps = { dimension: string; negated: boolean; ask: Ask; close: () => void }

// FilterEditor picks the values of a filter. The switch between "is" and "is not" also applies to the values that are chosen
// already.
function FilterEditor({ dimension, negated, ask, close }: EditorProps) {
  const [not, setNot] = useState(negated),
    name = useDimensionName()(dimension)
  const turn = (on: boolean) => {
    const values = ask.filters.find(f => f.dimension === dimension && f.not === not)?.values
    setNot(on)
    if (values) change({ [(not ? 'x.' : 'f.') + dimension]: null, [(on ? 'x.' : 'f.') + dimension]: values })
  }
  return (
    <>
      <div class="row">
        <Seg
          label={name}
          value={not ? 'isNot' : 'is'}
          options={(['is', 'isNot'] as const).map(value => ({ value, label: t.reports[value](name) }))}
          on={v => turn(v === 'isNot')}
        />
      </div>
      <Values dimension={dimension} not={not} ask={ask} />
      <Button look="sm" onClick={close} text={t.reports.done} />
    </>
  )
}

function AddFilter({ ask, counts, dimensions }: { ask: Ask; counts: boolean; dimensions: string[] }) {
  const [dimension, setDimension] = useState<string>(),
    [minimum, setMinimum] = useState(''),
    nameOf = useDimensionName()
  return (
    <Menu kind="chip add" name={t.reports.filter} onOpen={() => setDimension(undefined)} icon="plus" label={t.reports.filter}>
      {close =>
        names.includes(dimension as Name) ? (
          <BoundEditor ask={ask} figure={dimension as Name} close={close} />
        ) : dimension ? (
          <FilterEditor dimension={dimension} negated={false} ask={ask} close={close} />
        ) : (
          <>
            <DimensionChoices
              list={counts && ask.having.length < mostBounds ? [...dimensions, ...names] : dimensions}
              text={d => (names.includes(d as Name) ? figureName(d as Name) : nameOf(d))}
              side={d => (names.includes(d as Name) ? '< >' : '')}
              pick={setDimension}
            />
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
                <Button type="submit" look="sm" text={t.reports.set} />
              </form>
            )}
          </>
        )
      }
    </Menu>
  )
}

function Values({ dimension, not, ask }: { dimension: string; not: boolean; ask: Ask }) {
  const { data } = use('GET /reports/values', { ...windowQuery(), dimension: dimension as Dimension, limit: 500 })
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
      side={v => (ofSales.includes(dimension) ? '' : count(clicks.get(v)))}
    />
  ) : (
    <p class="dim none">{t.loading}</p>
  )
}
