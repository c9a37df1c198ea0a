import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ClickRow } from '../../api.gen.ts'
import { Part } from '../../parts/card.tsx'
import { canCreateCampaigns, canWrite } from '../../core/can.ts'
import { useCampaigns, useOffers } from '../../core/choices.ts'
import { touches, use } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { Icon } from '../../parts/icons.tsx'

const w = t.overview.first,
  every = 3 // seconds between requests for the first click

export type First = { waits: boolean; known: boolean; seen?: ClickRow }

// useFirst checks whether an account without figures has ever had a click, and waits for the first click. waits stays true after
// the click has arrived, so that the steps stay in sight.
export function useFirst(nothing: boolean): First {
  const [waiting, setWaiting] = useState(false),
    [firstClick, setFirstClick] = useState<ClickRow>()
  const { data, error } = use('GET /logs/clicks', (nothing || waiting) && !firstClick ? { limit: 1, from: '2020-01-01' } : null, every)
  useEffect(() => {
    const row = data?.rows[0]
    if (!data || firstClick) return
    if (!row) return setWaiting(true)
    setFirstClick(row)
    if (waiting) touches('campaigns', 'reports')
  }, [data, waiting, firstClick])
  return { waits: waiting, known: !!firstClick || !!error, seen: firstClick }
}

// FirstSteps shows the steps from an empty account to its first click.
export function FirstSteps({ of }: { of: First }) {
  const offers = useOffers(),
    campaigns = useCampaigns(),
    campaign = campaigns?.[0],
    link = campaign && to(`/app/campaigns/${campaign.id}/link`)
  if (!offers || !campaigns) return null
  const steps = [
    { name: 'offer', done: offers.length > 0 || !!campaign, href: canWrite() && to('/app/offers') },
    { name: 'campaign', done: !!campaign, href: canCreateCampaigns() && to('/app/campaigns/new') },
    { name: 'link', done: !!campaign?.url, href: link },
    { name: 'click', done: !!of.seen, href: of.seen ? to('/app/clicks', { click: of.seen.click_id }) : campaign?.url, out: !of.seen },
  ] as const
  const current = steps.findIndex(s => !s.done)
  return (
    <Part look="card" title={w.title}>
      <p class="dim">{w.text}</p>
      <ol class="steps">
        {steps.map((s, i) => (
          <Step key={s.name} n={i + 1} done={s.done} here={i === current}>
            <span class="grow" role={s.name === 'click' ? 'status' : undefined}>
              {s.name === 'click' && s.done ? t.link.firstHere : w.steps[s.name]}
              {!s.done && <span class="hidden"> {w.notYet}</span>}
            </span>
            {s.href && (
              <a class={'btn sm' + (i === current ? ' primary' : '')} href={s.href} {...('out' in s && s.out ? outside : {})}>
                {s.done ? w.look[s.name] : w.go[s.name]}
              </a>
            )}
          </Step>
        ))}
      </ol>
    </Part>
  )
}
const outside = { target: '_blank', rel: 'noreferrer' }

const Step = ({ n, done, here, children }: { n: number; done: boolean; here: boolean; children: ComponentChildren }) => (
  <li class={done ? 'done' : here ? 'here' : ''}>
    <span class="mark">{done ? <Icon name="check" /> : <span class="num">{n}</span>}</span>
    {children}
  </li>
)
