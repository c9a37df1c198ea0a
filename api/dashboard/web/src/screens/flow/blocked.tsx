import type { CampaignWhole } from '../../api.gen.ts'
import { count } from '../../core/format.ts'
import { use } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { useDimensionName } from '../../core/subs.ts'
import { Icon } from '../../parts/icons.tsx'
import { w } from '../../text/blocks.ts'

// BlockedLine shows which visitors of a flow are blocked before any path is tried, and what they get.
export function BlockedLine({ campaign: c }: { campaign: CampaignWhole }) {
  const lists = use('GET /blocks/lists', { campaign: c.id }).data?.lists,
    dimension = useDimensionName()
  if (!lists?.length) return null
  return (
    <p class="row wraps blockedline">
      <Icon name="ban" />
      <b>{w.flow}</b>
      {lists.map(l => (
        <a key={l.id} class="chip" href={to('/app/blocked', { list: l.id })}>
          {w.listed(l.count, count(l.count), dimension(l.dimension), w.whereOf[l.scope] ?? l.scope)}
        </a>
      ))}
      <span class={c.fallback_url ? 'dim cut' : 'warn'}>{c.fallback_url ? w.fallback(c.fallback_url) : w.notFound}</span>
    </p>
  )
}
