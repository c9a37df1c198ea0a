import type { PostbackRow } from '../../api.gen.ts'
import { Fact } from '../../parts/card.tsx'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { w } from '../../text/postbacks.ts'

// tones are the colours of the results of postbacks.
const tones: Record<string, string> = {
  matched: 'good',
  told: 'good',
  unmatched: 'warn',
  pending: 'warn',
  accepted: 'warn',
  refused: 'bad',
  failed: 'bad',
}

// Tag shows the result of a postback.
export const Tag = ({ of: r }: { of: PostbackRow }) => (
  <span class={'tag ' + (tones[r.result] ?? '')}>{w.results[r.result] ?? r.result}</span>
)

// OfConversion lists the campaign, the click and the conversion of a postback as facts, each with a link.
export const OfConversion = ({ of: r }: { of: PostbackRow }) => (
  <>
    {r.campaign_id && (
      <Fact
        name={t.dimensions.campaign_id!}
        value={
          <a class="link" href={to(`/app/campaigns/${r.campaign_id}/figures`)}>
            {r.campaign_name || t.gone}
          </a>
        }
        look="wrap"
      />
    )}
    {r.click_id && (
      <Fact
        name={t.clicks.sheet}
        value={
          <a class="link mono" href={to('/app/clicks', { find: r.click_id, click: r.click_id })}>
            {r.click_id}
          </a>
        }
        look="wrap"
      />
    )}
    {r.click_id && r.conversion_id && (
      <Fact
        name={t.conversions.sheet}
        value={
          <a class="link" href={to('/app/conversions', { find: r.click_id, conversion: r.conversion_id })}>
            {r.sent?.conversion_reference || w.open}
          </a>
        }
        look="wrap"
      />
    )}
  </>
)
