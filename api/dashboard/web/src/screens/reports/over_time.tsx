import { useMemo, useState } from 'preact/hooks'
import { TableSwitch } from '../../parts/button.tsx'
import { use } from '../../core/query.ts'
import { filterQuery, type Ask } from '../../core/report.ts'
import { t } from '../../core/text.ts'
import { days, span, windowQuery } from '../../core/window.ts'
import { AsTable, Plot, type Series } from '../../parts/plot.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { Loading } from '../../parts/state.tsx'
import { useMarks } from '../../parts/marked.tsx'

// campaignOf returns the campaign of a row, if the row belongs to a single campaign.
function campaignOf(ask: Ask, path: string[]): string | undefined {
  const values = filterQuery(ask, path)['f.campaign_id'] as string[] | undefined
  return values?.length === 1 ? values[0] : undefined
}

// OverTime shows a row by day, or by hour of a short window.
export function OverTime({ ask, path, name, close }: { ask: Ask; path: string[]; name: string; close: () => void }) {
  const hours = days(span.value.span) <= 3,
    [asTable, setAsTable] = useState(false),
    marks = useMarks(campaignOf(ask, path))
  const trend = use('GET /reports/trends', { ...windowQuery(), bucket: hours ? 'hour' : 'day', ...filterQuery(ask, path) })
  const plot = useMemo(() => {
    const rows = trend.data?.rows
    if (!rows) return null
    const series: Series[] = [
      { name: t.figures.names.profit, kind: 'money', colour: '--s-revenue', values: rows.map(r => r.profit), fill: true },
      { name: t.figures.names.clicks, kind: 'count', colour: '--s-clicks', values: rows.map(r => r.clicks), right: true },
    ]
    return { times: rows.map(r => Date.parse(r.start!)), series }
  }, [trend.data])
  const title = t.reports.overTimeOf(name)
  return (
    <Sheet
      title={title}
      close={close}
      beside={
        <>
          <span class="grow" />
          {marks.add}
          <TableSwitch on={asTable} set={setAsTable} />
        </>
      }>
      <div class="plotpad">
        {!plot ? (
          <Loading of={trend} height={236} style="" />
        ) : asTable ? (
          <AsTable label={title} times={plot.times} series={plot.series} hours={hours} beside={marks.column} />
        ) : (
          <Plot label={title} times={plot.times} series={plot.series} hours={hours} over={marks.layer} />
        )}
      </div>
      {marks.sheet}
    </Sheet>
  )
}

// keys are the keys of the report, with what they do.
export const keys = [
  ['↑ ↓', t.reports.move],
  ['→', t.reports.opens],
  ['←', t.reports.closes],
  ['F', t.reports.onlyKey],
  ['X', t.reports.exceptKey],
  ['L', t.reports.itsClicks],
  ['T', t.reports.overTime],
  ['C', t.reports.columns],
  ['E', t.reports.exportIt],
  ['Esc', t.reports.clearFilters],
].map(([key, text]) => ({ key: key!, text: text! }))
