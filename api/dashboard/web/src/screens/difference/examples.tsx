import type { DifferenceExample } from '../../api.gen.ts'
import { amount } from '../../core/format.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { PlainTable } from '../../parts/plain_table.tsx'
import { w } from '../../text/difference.ts'

const statusOf = (s: string | null) => (s ? (t.conversions.statuses[s as keyof typeof t.conversions.statuses] ?? s) : w.missing)

const heads = [t.overview.day, w.cause, w.order, t.clicks.sheet, w.theirs, w.ours].map(left => ({ left }))

const ClickLink = ({ id }: { id: string }) => (
  <a class="link mono" href={to('/app/conversions', { find: id })}>
    {id}
  </a>
)

// Side shows the status and the payout that a conversion has here, or that the network reports for it.
const Side = ({ status, payout, currency }: { status: string | null; payout: DifferenceExample['payout']; currency: string }) => (
  <td class="left">
    {statusOf(status)}
    {payout != null && <div class="num dim">{amount(payout, currency)}</div>}
  </td>
)

// Examples lists conversions and orders that differ, with a link to the conversions of their click.
export const Examples = ({ of: rows }: { of: DifferenceExample[] }) => (
  <PlainTable look="differs examples" label={w.examples} heads={heads}>
    {rows.flatMap((x, i) => {
      const order = x.order_id || x.conversion_id
      return [
        <tr key={i}>
          <td class="left num">{x.day}</td>
          <td class="left says">
            {w.names[x.cause] ?? w.unexplained} {x.reason && <div class="dim">{x.reason}</div>}
          </td>
          <td class="left mono">{order}</td>
          <td class="left mono">{x.click_id && <ClickLink id={x.click_id} />}</td>
          <Side status={x.their_status} payout={x.payout} currency={x.currency} />
          <Side status={x.our_status} payout={x.our_payout} currency={x.our_currency} />
        </tr>,
        <tr key={i + ' of'} class="below">
          <td class="left wrap dim" colSpan={3}>
            <span class="num">{x.day}</span> {order && <span class="mono">{order}</span>} {x.click_id && <ClickLink id={x.click_id} />}
          </td>
        </tr>,
      ]
    })}
  </PlainTable>
)
