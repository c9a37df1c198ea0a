import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ClickRow, NetworkRow, Performance } from '../../api.gen.ts'
import { Part } from '../../parts/card.tsx'
import { Copy } from '../../parts/copy.tsx'
import { canCreateCampaigns, canWrite } from '../../core/can.ts'
import { useCampaigns, useNetworks, useOffers } from '../../core/choices.ts'
import { testPostback } from '../../core/postback.ts'
import { touches, use } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { Icon } from '../../parts/icons.tsx'

const w = t.overview.first,
  every = 3, // seconds between requests for the first click and the first conversion
  ever = { limit: 1, from: '2020-01-01' },
  fewClicks = 100 // with fewer clicks, an account may still be testing its set-up

export type First = { waits: boolean; known: boolean; seen?: ClickRow; converted: boolean }

// useFirst checks whether an account with no or few figures has ever had a click and a conversion, and waits for the first ones. waits
// stays true after the conversion has arrived, so that the steps stay in sight.
export function useFirst(list: Performance | undefined): First {
  const [waiting, setWaiting] = useState(false),
    [firstClick, setFirstClick] = useState<ClickRow>(),
    [converted, setConverted] = useState(false)
  const nothing = list?.rows.length === 0,
    starts = list?.rows.length === 1 && list.totals.clicks < fewClicks && list.totals.conversions === 0,
    asks = nothing || starts || waiting
  const { data, error } = use('GET /logs/clicks', asks && !firstClick ? ever : null, every)
  const conversions = use('GET /logs/conversions', (starts || waiting) && firstClick && !converted ? ever : null, every).data
  useEffect(() => {
    const row = data?.rows[0]
    if (!data || firstClick) return
    if (!row) return setWaiting(true)
    setFirstClick(row)
    if (waiting) touches('campaigns', 'reports')
  }, [data, waiting, firstClick])
  useEffect(() => {
    if (!conversions || converted) return
    if (conversions.rows.length === 0) return setWaiting(true)
    setConverted(true)
    if (waiting) touches('campaigns', 'reports')
  }, [conversions, waiting, converted])
  return { waits: waiting, known: !!firstClick || !!error, seen: firstClick, converted }
}

type StepRow = { name: keyof typeof w.steps; done: boolean; href?: string | false; out?: boolean; more?: ComponentChildren }

// FirstSteps shows the steps from an empty account to its first conversion.
export function FirstSteps({ of }: { of: First }) {
  const networks = useNetworks(),
    offers = useOffers(),
    campaigns = useCampaigns(),
    campaign = campaigns?.[0]
  if (!networks || !offers || !campaigns) return null
  const network = networks.find(n => n.id === of.seen?.network_id) ?? networks[0],
    may = canWrite()
  const steps: StepRow[] = [
    { name: 'network', done: networks.length > 0, href: may && to('/app/networks', networks.length ? {} : { id: 'new' }) },
    { name: 'offer', done: offers.length > 0, href: may && to('/app/offers', offers.length ? {} : { id: 'new' }) },
    { name: 'campaign', done: !!campaign, href: canCreateCampaigns() && to('/app/campaigns/new') },
    { name: 'link', done: !!campaign?.url, href: campaign && to(`/app/campaigns/${campaign.id}/link`) },
    { name: 'click', done: !!of.seen, href: of.seen ? to('/app/clicks', { click: of.seen.click_id }) : campaign?.url, out: !of.seen },
    {
      name: 'postback',
      done: of.converted,
      href: network && to('/app/networks', { id: network.id }),
      more: network && !of.converted && <Copy text={network.postback_url} label={t.link.postbackOf(network.name)} />,
    },
    {
      name: 'conversion',
      done: of.converted,
      href: of.converted ? to('/app/conversions') : may && conversionOf(network, of.seen),
      out: !of.converted,
    },
  ]
  const current = steps.findIndex(s => !s.done && s.name !== 'postback') // nothing here shows whether the network has the postback
  return (
    <Part look="card" title={w.title}>
      <p class="dim">{w.text}</p>
      <ol class="steps">
        {steps.map((s, i) => (
          <Step key={s.name} n={i + 1} of={s} here={i === current} />
        ))}
      </ol>
    </Part>
  )
}

// conversionOf returns the address that reports a test conversion of a click. It returns undefined for a platform that signs its
// notifications.
const conversionOf = (network: NetworkRow | undefined, click: ClickRow | undefined) =>
  click && network && !network.postback_scheme ? testPostback(network, click.click_id) : undefined

// arrived are the steps that become done while a person waits.
const arrived: Partial<Record<StepRow['name'], string>> = { click: t.link.firstHere, conversion: t.link.conversionHere }

const outside = { target: '_blank', rel: 'noreferrer' }

const Step = ({ n, of: s, here }: { n: number; of: StepRow; here: boolean }) => (
  <li class={s.done ? 'done' : here ? 'here' : ''}>
    <span class="mark">{s.done ? <Icon name="check" /> : <span class="num">{n}</span>}</span>
    <div class="grow" role={s.name in arrived ? 'status' : undefined}>
      {(s.done && arrived[s.name]) || w.steps[s.name]}
      {!s.done && <span class="hidden"> {w.notYet}</span>}
      {s.more}
    </div>
    {s.href && (
      <a class={'btn sm' + (here ? ' primary' : '')} href={s.href} {...(s.out ? outside : {})}>
        {s.done ? w.look[s.name] : w.go[s.name]}
      </a>
    )}
  </li>
)
