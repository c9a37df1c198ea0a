import { useMemo, useState } from 'preact/hooks'
import type { Performance, PerformanceRow } from '../../api.gen.ts'
import { chartFigure, dimensionsOf, kindsOf, linesOf, rowKey, sharesOf, topOf, type ChartKind } from '../../core/chart.ts'
import { figureName, figureOptions, figures, text, type Name } from '../../core/figures.ts'
import { percent } from '../../core/format.ts'
import { use } from '../../core/query.ts'
import { filterQuery, timely, valueText, type Ask } from '../../core/report.ts'
import { change, place } from '../../core/router.ts'
import { useDimensionName } from '../../core/subs.ts'
import { compares, days, span, windowQuery } from '../../core/window.ts'
import { TableSwitch } from '../../parts/button.tsx'
import { Columns } from '../../parts/columns.tsx'
import { Seg, Select } from '../../parts/form.tsx'
import { AsTable, Legend, openStep, past, Plot, type Series } from '../../parts/plot.tsx'
import { Loading } from '../../parts/state.tsx'
import { WorldPlace } from '../../parts/world_place.tsx'
import { w } from '../../text/plots.ts'

type Props = { ask: Ask; root: Performance; name: Name }
const colours = ['--s-clicks', '--s-revenue', '--s-cost', '--s-conv', '--text-2'],
  mostBars = 10

const nameOf = ({ ask, root }: Props, row: PerformanceRow) =>
  dimensionsOf(ask)
    .map(d => valueText(d, row.dims[d]!, root.labels))
    .join(' · ')

// Chart shows the rows of the report's first level, or all rows of a flat report: as columns in the order of time, as bars, lines or
// shares of the largest rows, or on a map.
export function Chart({ ask, root, kind: wanted }: { ask: Ask; root: Performance; kind: string }) {
  const [asTable, setAsTable] = useState(false)
  const kinds = kindsOf(ask),
    kind = kinds.find(k => k === wanted) ?? 'bars',
    name = chartFigure(ask, place.value.query.get('figure')),
    props = { ask, root, name },
    dims = dimensionsOf(ask),
    dimensionName = useDimensionName(),
    label = w.chartOf(figureName(name), dims.map(dimensionName).join(', '))
  return (
    <section class="card chart">
      <header>
        <h2>{label}</h2>
        <span class="grow" />
        {kind === 'lines' && <TableSwitch on={asTable} set={setAsTable} />}
      </header>
      <div class="plotbar">
        <Select label={w.figure} value={name} options={figureOptions} on={(figure: Name) => change({ figure }, true)} />
        {kinds.length > 1 && (
          <Seg
            label={w.kind}
            value={kind}
            options={kinds.map(value => ({ value, label: w.kinds[value] }))}
            on={(chart: ChartKind) => change({ chart }, true)}
          />
        )}
      </div>
      <div class="plotpad">
        {kind === 'map' ? (
          <WorldPlace rows={root.rows} name={name} label={w.map(figureName(name))} />
        ) : kind === 'lines' ? (
          <Lines {...props} label={label} asTable={asTable} />
        ) : kind === 'share' ? (
          <Shares {...props} label={label} />
        ) : timely.includes(dims[0]!) && dims.length === 1 ? (
          <Times {...props} label={label} />
        ) : (
          <Bars {...props} label={label} />
        )}
      </div>
    </section>
  )
}

// Times shows the rows of a report by time, in the order of time.
function Times({ ask, root, name, label }: Props & { label: string }) {
  const dimension = ask.group[0]!,
    order = (r: PerformanceRow) => r.dims[dimension]!.padStart(2, '0') // hour 9 comes before hour 10
  const rows = root.rows.filter(r => r.dims[dimension] !== '').sort((a, b) => (order(a) < order(b) ? -1 : 1))
  const tick = (text: string) =>
    dimension === 'date' ? text.slice(-5) : dimension === 'hour' ? text.slice(-5) : dimension === 'day_of_week' ? text.slice(0, 3) : text
  return (
    <Columns
      label={label}
      tone={toneOf(name)}
      columns={rows.map(r => {
        const full = valueText(dimension, r.dims[dimension]!, root.labels)
        return {
          key: r.dims[dimension]!,
          name: full,
          tick: tick(dimension === 'date' ? r.dims[dimension]! : full),
          value: r[name],
          text: text(r, name),
          was: r.compare?.[name],
          wasText: r.compare ? w.was(text({ ...r, ...r.compare }, name)) : undefined,
        }
      })}
    />
  )
}
const toneOf = (name: Name) => (['profit', 'roi', 'revenue', 'epc'].includes(name) ? '--s-revenue' : '--s-clicks')

// Bars shows the largest rows as bars that begin at zero.
function Bars(p: Props & { label: string }) {
  const { root, name, label } = p,
    top = topOf(root.rows, name, mostBars).sort((a, b) => Number(b[name] ?? 0) - Number(a[name] ?? 0)),
    low = Math.min(0, ...top.map(r => r[name] ?? 0)),
    high = Math.max(0, ...top.map(r => r[name] ?? 0)),
    all = high - low || 1,
    at = (v: number) => ((v - low) / all) * 100
  return (
    <div class="hbars" role="list" aria-label={label}>
      {top.map(r => {
        const v = Number(r[name] ?? 0),
          was = r.compare?.[name]
        return (
          <div key={rowKey(r, dimensionsOf(p.ask))} role="listitem">
            <span class="cut" title={nameOf(p, r)}>
              {nameOf(p, r)}
            </span>
            <span class="track">
              <i
                class={v < 0 ? 'neg' : ''}
                style={`--tone:var(${toneOf(name)});inset-inline-start:${at(Math.min(0, v))}%;width:${(Math.abs(v) / all) * 100}%`}
              />
              {compares.value && was != null && was >= low && was <= high && (
                <u style={`inset-inline-start:${at(was)}%`} title={w.was(text({ ...r, ...r.compare! }, name))} />
              )}
            </span>
            <b class="num">{text(r, name)}</b>
          </div>
        )
      })}
    </div>
  )
}

// Shares shows which share of the total each of the largest rows has.
function Shares(p: Props & { label: string }) {
  const { root, name, label } = p,
    top = topOf(root.rows, name, colours.length),
    shares = sharesOf(root, top, name)
  if (!shares) return <p class="dim">{w.noShare}</p>
  const parts = [
    ...top.map((r, i) => ({ name: nameOf(p, r), share: shares.of[i]!, colour: colours[i]!, text: text(r, name) })),
    ...(shares.others > 0.0005 ? [{ name: w.others, share: shares.others, colour: '--line-strong', text: '' }] : []),
  ]
  return (
    <div class="shares">
      <div class="stack" aria-hidden="true">
        {parts.map(s => (
          <i key={s.name} style={`background:var(${s.colour});width:${s.share * 100}%`} title={`${s.name}: ${percent(s.share * 100, 1)}`} />
        ))}
      </div>
      <ul aria-label={label}>
        {parts.map(s => (
          <li key={s.name}>
            <i class="sw" style={`--c:var(${s.colour})`} />
            <span class="cut">{s.name}</span>
            <b class="num">{percent(s.share * 100, 1)}</b>
            <span class="dim num">{s.text}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

// Lines shows the largest rows over time: by hour in a window of at most two days, otherwise by day.
function Lines(p: Props & { label: string; asTable: boolean }) {
  const { ask, root, name, label, asTable } = p,
    dims = dimensionsOf(ask),
    hours = days(span.value.span) <= 2,
    bucket = hours ? 'hour' : 'date',
    top = topOf(root.rows, name, colours.length),
    keys = top.map(r => rowKey(r, dims))
  const filter = Object.fromEntries(dims.map(d => ['f.' + d, [...new Set(top.map(r => r.dims[d]!))]]))
  const moments = use('GET /reports/trends', { ...windowQuery(), bucket: hours ? 'hour' : 'day', ...filterQuery(ask) }),
    of = use('GET /reports/performance', {
      ...windowQuery(),
      dimension: [...dims, bucket].join(','),
      sort: bucket,
      limit: 10000,
      ...filterQuery(ask),
      ...filter,
    })
  const plot = useMemo(() => {
    if (!of.data || !moments.data) return null
    const steps = moments.data.rows,
      times = steps.map(r => Date.parse(r.start!)),
      labels = steps.map(r => r.bucket),
      lines = linesOf(of.data.rows, dims, bucket, keys, labels, name)
    const series = top.map(
      (r, i): Series => ({
        name: nameOf(p, r),
        kind: figures[name].kind,
        colour: colours[i]!,
        values: past(times, lines[i]!),
      }),
    )
    return { times, series, open: openStep(times) }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a change of the report brings new answers
  }, [of.data, moments.data, name])
  if (!plot) return <Loading of={of.error ? of : moments} height={236} style="" />
  return (
    <>
      <Legend of={plot.series} />
      {asTable ? <AsTable label={label} {...plot} hours={hours} /> : <Plot label={label} {...plot} hours={hours} />}
    </>
  )
}
