import type { CostChange } from '../../api.gen.ts'
import { canWrite } from '../../core/can.ts'
import { dateTime } from '../../core/dates.ts'
import { amount, count } from '../../core/format.ts'
import { useCampaigns, useSources } from '../../core/choices.ts'
import { use } from '../../core/query.ts'
import { dimensionName, type SubNames } from '../../core/subs.ts'
import { t } from '../../core/text.ts'
import { useAsk } from '../../parts/ask.tsx'
import { Button } from '../../parts/button.tsx'
import { dayText, undo } from '../../parts/cost.tsx'
import { PlainTable } from '../../parts/plain_table.tsx'
import { Empty, Loading } from '../../parts/state.tsx'
import { w } from '../../text/cost.ts'

// CostHistory lists the costs that people have set, newest first. A change can be undone as long as the earlier costs are kept.
export function CostHistory() {
  const list = use('GET /corrections/cost/changes', { limit: 50 }),
    [question, ask] = useAsk(),
    sources = useSources(),
    campaigns = useCampaigns()
  const what = (k: CostChange) => {
    const source = k.source_id ?? campaigns?.find(c => c.id === k.campaign_id)?.source_id
    return whatOf(k, sources?.find(s => s.id === source)?.sub_names ?? {})
  }
  const askToUndo = (k: CostChange) =>
    ask({
      title: w.undoTitle,
      text: w.undoText(total(k.before, k.base), total(k.after, k.base)),
      go: w.undo,
      on: async () => {
        await undo(k.id)
      },
    })
  return (
    <section class="card">
      <header>
        <h2>{w.history}</h2>
      </header>
      {!list.data ? (
        <Loading of={list} height={120} />
      ) : list.data.rows.length === 0 ? (
        <Empty title={w.noHistory} more={w.noHistoryMore} />
      ) : (
        <PlainTable label={w.history} heads={[{ left: w.when }, { left: w.what }, { left: w.days }, w.clicks, w.before, w.after, '']}>
          {list.data.rows.map(k => (
            <tr key={k.id}>
              <td class="left">
                {dateTime(k.created_at)}
                <small class="dim"> {k.who}</small>
              </td>
              <td class="left says">{what(k)}</td>
              <td class="left">{k.from === k.to ? dayText(k.from) : `${dayText(k.from)} – ${dayText(k.to)}`}</td>
              <td class="num">{count(k.clicks)}</td>
              <td class="num">{total(k.before, k.base)}</td>
              <td class="num">{total(k.after, k.base)}</td>
              <td>
                {k.undone_at ? (
                  <span class="dim">{k.undone_by ? w.byWhom(k.undone_by) : w.wasUndone}</span>
                ) : k.may_undo ? (
                  canWrite() && <Button look="sm" of={what(k)} onClick={() => askToUndo(k)} text={w.undo} />
                ) : (
                  <span class="dim">{w.tooLate}</span>
                )}
              </td>
            </tr>
          ))}
        </PlainTable>
      )}
      {question}
    </section>
  )
}

// total formats a cost of many clicks with two decimals, like the preview of the form that sets costs.
const total = (cost: number, currency: string) => amount(cost.toFixed(2), currency)

// whatOf names the clicks of a change.
const whatOf = (k: CostChange, subs: SubNames) =>
  k.kind === 'file'
    ? w.tabs.csv
    : [
        k.campaign_id ? k.campaign_name || t.gone : '',
        k.source_id ? k.source_name || t.gone : '',
        k.sub ? `${dimensionName('sub' + k.sub, subs)} ${k.sub_value || t.unknown}` : '',
      ]
        .filter(Boolean)
        .join(' · ')
