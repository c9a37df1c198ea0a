import type { DifferenceExample } from '../../api.gen.ts'
import { amount } from '../../core/format.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { w } from '../../text/difference.ts'

const statusOf = (s: string | null) => (s ? (t.conversions.statuses[s as keyof typeof t.conversions.statuses] ?? s) : w.missing)

// Examples lists conversions and orders that differ, with a link to the conversions of their click.
export const Examples = ({ of: rows }: { of: DifferenceExample[] }) => (
  <div class="scroll" tabIndex={0} role="region" aria-label={w.examples}>
    <table class="plain differs">
      <thead>
        <tr>
          <th class="left">{w.day}</th>
          <th class="left">{w.cause}</th>
          <th class="left">{w.order}</th>
          <th class="left">{w.click}</th>
          <th class="left">{w.theirs}</th>
          <th>{w.payout}</th>
          <th class="left">{w.ours}</th>
          <th>{w.payout}</th>
        </tr>
      </thead>
      <tbody>
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
      </tbody>
    </table>
  </div>
)
