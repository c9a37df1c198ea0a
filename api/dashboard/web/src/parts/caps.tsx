// Shows how much of the daily caps of offers and paths is used today.
import type { ComponentChildren } from 'preact'
import type { CapRow } from '../api.gen.ts'
import { count } from '../core/format.ts'
import { use } from '../core/query.ts'
import { w } from '../text/plots.ts'

// useCaps loads the caps of today, the fullest first.
export const useCaps = () => use('GET /stats/caps', {}, 60).data?.rows ?? []

export function CapUse({ of: c, name }: { of: CapRow; name?: ComponentChildren }) {
  const share = (c.used / c.daily_cap) * 100
  return (
    <div class="grow">
      <div class="row">
        {name}
        <span class="grow" />
        {share >= 100 && <span class="tag">{w.capFull}</span>}
        <span class="num soft nowrap">
          {w.capOf(count(c.used), count(c.daily_cap))} {c.kind === 'offer' ? w.capConversions : w.capClicks}
        </span>
      </div>
      <div class={'meter' + (share >= 100 ? ' full' : share >= 80 ? ' near' : '')}>
        <i style={`width:${Math.min(100, share)}%`} />
      </div>
    </div>
  )
}

// CapText says in a few words how much of an offer's cap is used.
export function CapText({ caps, offer }: { caps: CapRow[]; offer: string | undefined }) {
  const c = caps.find(o => o.kind === 'offer' && o.id === offer)
  return c ? (
    <span class={c.used >= c.daily_cap ? 'tag warn nowrap' : 'tag nowrap'}>{w.capToday(count(c.used), count(c.daily_cap))}</span>
  ) : null
}
