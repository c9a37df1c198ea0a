import type { DifferenceExample } from '../../api.gen.ts'
import { amount } from '../../core/format.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { PlainTable } from '../../parts/plain_table.tsx'
import { w } from '../../text/difference.ts'

const statusOf = (s: string | null) => (s ? (t.conversions.statuses[s as keyof typeof t.conversions.statuses] ?? s) : w.missing)

const texts = [t.overview.day, w.cause, w.order, t.clicks.sheet, w.theirs].map(left => ({ left })),
  heads = [...texts, w.payout, { left: w.ours }, w.payout]

// Examples lists conversions and orders that differ, with a link to the conversions of their click.
export const Examples = ({ of: rows }: { of: DifferenceExample[] }) => (
  <PlainTable look="differs" label={w.examples} heads={heads}>
    {rows.map((x, i) => (
      <tr key={i}>
        <td class="left num">{x.day}</td>
        <td class="left says">
          {w.names[x.cause] ?? w.unexplained} {x.reason && <div class="dim">{x.reason}</div>}
        </td>
        <td class="left mono">{x.order_id || x.conversion_id}</td>
        <td class="left mono">
          {x.click_id && (
            <a class="link" href={to('/app/conversions', { find: x.click_id })}>
              {x.click_id}
            </a>
          )}
        </td>
        <td class="left">{statusOf(x.their_status)}</td>
        <td class="num">{amount(x.payout, x.currency)}</td>
        <td class="left">{statusOf(x.our_status)}</td>
        <td class="num">{amount(x.our_payout, x.our_currency)}</td>
      </tr>
    ))}
  </PlainTable>
)
