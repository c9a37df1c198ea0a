import { useState } from 'preact/hooks'
import type { Performance } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { makeExport } from '../../core/export.ts'
import { figureName, type Name } from '../../core/figures.ts'
import { formulaOf, formulasOf, formulasText, mostFormulas } from '../../core/formula.ts'
import { storeGrouping } from '../../core/grouping.ts'
import { requestOrder, mostDimensions, setColumns, setFormulas, setGroup as showGroup, textOf, type Ask } from '../../core/report.ts'
import { byOf } from '../../core/compare.ts'
import { change } from '../../core/router.ts'
import { useDimensionName } from '../../core/subs.ts'
import { t } from '../../core/text.ts'
import { compares, sofar, span } from '../../core/window.ts'
import { CompareButton } from '../../parts/compare.tsx'
import { reportWords } from '../../text/reports.ts'
import { w } from '../../text/views.ts'
import { Icon } from '../../parts/icons.tsx'
import { ColumnMenu } from '../../parts/column_menu.tsx'
import { Menu } from '../../parts/menu.tsx'
import { ChartSwitch } from './chart_place.tsx'
import { Views } from './views.tsx'
import { DimensionChoices } from '../../parts/choices.tsx'
import { Filters } from '../../parts/filters.tsx'

type Labels = Performance['labels']
const dimensions = Object.keys(t.dimensions)

// Controls edits the grouping, the filters and the columns of a report.
export function Controls({ ask, labels }: { ask: Ask; labels: Labels }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button
        look="phone"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        icon="filter"
        text={reportWords.grouped(ask.group.length, ask.filters.length + ask.having.length + (ask.least ? 1 : 0))}
      />
      <div class={open ? '' : 'wide'}>
        <Groups ask={ask} />
        <Filters ask={ask} labels={labels} />
      </div>
    </>
  )
}

// onlyCampaign returns the campaign that the report is filtered by, if it is a single one.
function onlyCampaign({ filters }: Ask) {
  const values = filters.find(f => f.dimension === 'campaign_id' && !f.not)?.values
  return values?.length === 1 ? values[0] : undefined
}

function Groups({ ask }: { ask: Ask }) {
  const left = dimensions.filter(d => !ask.group.includes(d)),
    g = ask.group,
    by = g.map(byOf).find(Boolean),
    campaign = onlyCampaign(ask),
    nameOf = useDimensionName()
  const setGroup = (next: string[]) => {
    showGroup(next)
    if (campaign) storeGrouping(next)
  }
  const moveGroup = (to: number, e: DragEvent) => {
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
            onDrop={e => moveGroup(i, e)}>
            {i > 0 && (
              <button
                type="button"
                class="step"
                aria-label={reportWords.earlier(nameOf(d))}
                title={reportWords.earlier(nameOf(d))}
                onClick={() => setGroup([...g.slice(0, i - 1), d, g[i - 1]!, ...g.slice(i + 1)])}>
                <Icon name="back" />
              </button>
            )}
            <Menu kind="chipname" name={reportWords.replace(nameOf(d))} label={<b>{nameOf(d)}</b>}>
              {close => (
                <DimensionChoices
                  list={left}
                  text={nameOf}
                  pick={o => {
                    setGroup(g.map(was => (was === d ? o : was)))
                    close()
                  }}
                />
              )}
            </Menu>
            {g.length > 1 && (
              <button type="button" aria-label={t.reports.remove(nameOf(d))} onClick={() => setGroup(g.filter(o => o !== d))}>
                <Icon name="x" />
              </button>
            )}
          </span>
        </>
      ))}
      {g.length < mostDimensions && (
        <Menu kind="chip add" name={reportWords.addDimension} icon="plus" label={reportWords.add(g.length)}>
          {close => (
            <DimensionChoices
              list={left}
              text={nameOf}
              pick={d => {
                setGroup([...g, d])
                close()
              }}
            />
          )}
        </Menu>
      )}
      <span class="grow" />
      <span class="seg" role="group" aria-label={reportWords.shape}>
        <button type="button" aria-pressed={!ask.flat} onClick={() => change({ flat: null, o: null })}>
          {reportWords.tree}
        </button>
        <button type="button" aria-pressed={ask.flat} onClick={() => change({ flat: '1', o: null })}>
          {reportWords.flat}
        </button>
      </span>
      {by && <CompareButton id={campaign} by={by} />}
      <ChartSwitch />
      <Views ask={ask} />
      <Columns ask={ask} />
      <Export ask={ask} />
    </div>
  )
}

function Columns({ ask }: { ask: Ask }) {
  const toggle = (name: Name) => {
    const next = ask.columns.includes(name) ? ask.columns.filter(n => n !== name) : [...ask.columns, name]
    if (next.length) setColumns(next)
  }
  const formulas = formulasOf(ask.formulas)
  const own = {
    chosen: formulas.map(f => f.text),
    toggle: (text: string) => {
      const left = formulas.filter(f => f.text !== text),
        more = left.length === formulas.length ? formulasOf(text) : []
      setFormulas(formulasText([...left, ...more].slice(0, mostFormulas)))
    },
    titleOf: (text: string) => formulaOf(text)?.title,
    hint: w.columnHint,
  }
  return <ColumnMenu on={ask.columns} toggle={toggle} formulas={own} />
}

// Export starts a background job that makes a file of all rows with the shown columns and their headings.
function Export({ ask }: { ask: Ask }) {
  const nameOf = useDimensionName(),
    formulas = formulasOf(ask.formulas)
  const filters = ask.filters.flatMap(f => f.values.map(value => ({ dimension: f.dimension, value, not: f.not })))
  return (
    <Button
      data-key="export"
      onClick={() => {
        makeExport({
          kind: 'performance',
          dimension: ask.group.join(','),
          filters,
          having: textOf(ask.having),
          min_clicks: ask.least,
          compare: compares.value ? sofar(span.value) : '',
          sort: requestOrder(ask),
          columns: ask.columns,
          formulas: formulasText(formulas),
          headings: [...ask.group.map(nameOf), ...ask.columns.map(figureName), ...formulas.map(f => f.title)],
        }).catch(() => undefined)
      }}
      icon="download"
      text={reportWords.exportIt}
    />
  )
}
