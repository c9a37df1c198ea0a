import { useMemo, useState } from 'preact/hooks'
import type { Trends } from '../api.gen.ts'
import { figureName, figureOptions, figures, type Name } from '../core/figures.ts'
import { use } from '../core/query.ts'
import { t } from '../core/text.ts'
import { heatOf, weeksOf } from '../core/trend.ts'
import { before, compares, days, span, windowQuery } from '../core/window.ts'
import { w } from '../text/plots.ts'
import { TableSwitch } from './button.tsx'
import { Delays, hasDelays } from './delay.tsx'
import { Seg, Select } from './form.tsx'
import { HeatMap } from './heat.tsx'
import { useMarks } from './marked.tsx'
import { AsTable, Legend, openStep, past, Plot, type Series } from './plot.tsx'
import { Loading } from './state.tsx'

type Step = 'hour' | 'day' | 'week' | 'heat' | 'delay'
const buckets = { hour: 'hour', day: 'day', week: 'day', heat: 'weekday_hour' } as const

const colours: Partial<Record<Name, string>> = {
  conversions: '--s-conv',
  approved: '--s-conv',
  cost: '--s-cost',
  cpc: '--s-cost',
  cpa: '--s-cost',
  revenue: '--s-revenue',
  profit: '--s-revenue',
  roi: '--s-revenue',
  epc: '--s-revenue',
}
const coloursOf = (on: Name[]) => {
  const [first, second] = on.map(n => colours[n] ?? '--s-clicks')
  return [first!, second === first ? (first === '--s-cost' ? '--s-conv' : '--s-cost') : second!]
}

// seriesOf returns the lines of a plot: the figures in the window, and the first figure in the window before.
function seriesOf(on: Name[], step: Step, now: Trends, was: Trends | undefined) {
  const stepped = (of: Trends) => (step === 'week' ? weeksOf(of.rows) : of.rows),
    rows = stepped(now),
    times = rows.map(r => Date.parse(r.start!)),
    kinds = on.map(n => figures[n].kind),
    tones = coloursOf(on)
  const series: Series[] = on.map((n, i) => ({
    name: figureName(n),
    kind: kinds[i]!,
    colour: tones[i]!,
    values: past(
      times,
      rows.map(r => r[n]),
    ),
    fill: i === 0,
    right: i === 1 && kinds[0] !== kinds[1],
  }))
  const earlier = was && stepped(was)
  if (earlier?.some(r => r.clicks || r.cost)) {
    series.push({
      name: w.previous(figureName(on[0]!)),
      kind: kinds[0]!,
      colour: '--text-3',
      values: rows.map((_, i) => earlier[i]?.[on[0]!] ?? null),
      dash: true,
    })
  }
  return { times, series, open: openStep(times) }
}

type Options = { filter: Record<string, string | string[] | number>; campaign?: string; of: string; every?: number }

// useTrend shows figures of the window over time, as a heat map of the week, or as the delays of conversions. `filter` selects
// what is counted. If `campaign` is given, the marks are only the changes and notes of this campaign and the notes about all campaigns.
// `of` is the subject's name for screen readers.
export function useTrend({ filter, campaign, of, every = 0 }: Options) {
  const now = span.value,
    n = days(now.span),
    marks = useMarks(campaign)
  const [first, setFirst] = useState<Name>('profit'),
    [second, setSecond] = useState<Name | ''>('clicks'),
    [chosen, setChosen] = useState<Step>(),
    [asTable, setAsTable] = useState(false)
  const steps: Step[] = [
    ...(n <= 14 ? (['hour'] as const) : []),
    ...(n > 1 ? (['day'] as const) : []),
    ...(n >= 14 ? (['week'] as const) : []),
    'heat',
    ...(hasDelays(filter) ? (['delay'] as const) : []),
  ]
  const step = chosen && steps.includes(chosen) ? chosen : n <= 3 ? 'hour' : 'day',
    lines = step !== 'heat' && step !== 'delay',
    on = lines && second && second !== first ? [first, second] : [first]
  const query = (of: typeof now) => (step === 'delay' ? null : { ...windowQuery(of), bucket: buckets[step], ...filter })
  const trend = use('GET /reports/trends', query(now), every),
    was = use('GET /reports/trends', compares.value ? query(before(now)) : null).data
  const plot = useMemo(
    () => (trend.data && lines ? seriesOf(on, step, trend.data, was) : null),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `lines` is computed from `step`, and `on` from `lines`, `first` and `second`
    [trend.data, was, first, second, step],
  )
  const heat = useMemo(() => (trend.data && step === 'heat' ? heatOf(trend.data.rows) : null), [trend.data, step]),
    heatWas = useMemo(() => (was && step === 'heat' ? heatOf(was.rows) : undefined), [was, step])
  const title =
      step === 'delay'
        ? w.delay
        : step === 'heat'
          ? w.heatOf(figureName(first))
          : t.overview.plotOf(figureName(first), on[1] ? figureName(on[1]) : ''),
    label = `${of}: ${title}`
  return {
    title,
    tools: (
      <>
        {lines && marks.add}
        <TableSwitch on={asTable} set={setAsTable} />
      </>
    ),
    sheet: marks.sheet,
    body: (
      <>
        <div class="plotbar">
          {step !== 'delay' && <Select label={w.first} value={first} options={figureOptions} on={setFirst} />}
          {lines && <Select label={w.second} value={second} options={[{ value: '', label: w.none }, ...figureOptions]} on={setSecond} />}
          <Seg label={w.step} value={step} options={steps.map(value => ({ value, label: w.steps[value] }))} on={setChosen} />
          {plot && <Legend of={plot.series} open={plot.open} />}
        </div>
        <div class="plotpad">
          {step === 'delay' ? (
            <Delays filter={filter} asTable={asTable} />
          ) : heat ? (
            <HeatMap heat={heat} was={heatWas} name={first} label={label} asTable={asTable} />
          ) : !plot ? (
            <Loading of={trend} height={236} style="" />
          ) : asTable ? (
            <AsTable label={label} {...plot} hours={step === 'hour'} beside={marks.column} />
          ) : (
            <Plot label={label} {...plot} hours={step === 'hour'} over={marks.layer} />
          )}
        </div>
      </>
    ),
  }
}
