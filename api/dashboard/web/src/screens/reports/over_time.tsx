import { canWrite } from '../../core/can.ts'
import { filterQuery, type Ask } from '../../core/report.ts'
import { t } from '../../core/text.ts'
import { reportWords } from '../../text/reports.ts'
import { w as blockWords } from '../../text/blocks.ts'
import { Sheet } from '../../parts/sheet.tsx'
import { useTrend } from '../../parts/trend.tsx'
import { w } from '../../text/plots.ts'

// campaignOf returns the campaign of a row, if the row belongs to a single campaign.
function campaignOf(ask: Ask, path: string[]): string | undefined {
  const values = filterQuery(ask, path)['f.campaign_id'] as string[] | undefined
  return values?.length === 1 ? values[0] : undefined
}

// OverTime shows a row over time. An empty path means the total of the report.
export function OverTime({ ask, path, name, close }: { ask: Ask; path: string[]; name: string; close: () => void }) {
  const of = path.length ? name : w.total,
    trend = useTrend({ filter: filterQuery(ask, path), campaign: campaignOf(ask, path), of })
  return (
    <Sheet
      title={reportWords.overTimeOf(of)}
      close={close}
      reads
      beside={
        <>
          <span class="grow" />
          {trend.tools}
        </>
      }>
      {trend.body}
      {trend.sheet}
    </Sheet>
  )
}

// withoutKey returns the text of a button without the key in parentheses at its end.
const withoutKey = (text: string) => text.replace(/ \(.\)$/, '')

// keys lists the keyboard shortcuts of the report.
export const keys = [
  ['↑ ↓', t.reports.move],
  ['→', reportWords.opens],
  ['←', reportWords.closes],
  ['F', reportWords.onlyKey],
  ['X', reportWords.exceptKey],
  ['L', withoutKey(reportWords.itsClicks)],
  ['T', withoutKey(reportWords.overTime)],
  ...(canWrite()
    ? [
        ['Space', blockWords.selectKey],
        ['Shift ↑ ↓', blockWords.extend],
        ['B', blockWords.key],
        ['$', t.campaigns.setCost],
      ]
    : []),
  ['C', t.reports.columns],
  ['E', reportWords.exportIt],
  ['Esc', t.reports.clearFilters],
].map(([key, text]) => ({ key: key!, text: text! }))
