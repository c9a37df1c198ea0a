import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { NetworkRow } from '../../api.gen.ts'
import { Button, Link } from '../../parts/button.tsx'
import { Part } from '../../parts/card.tsx'
import { Seg } from '../../parts/form.tsx'
import { Icon } from '../../parts/icons.tsx'
import { NetworkURL } from '../../parts/network_url.tsx'
import { TestConversion } from '../../parts/test_conversion.tsx'
import { canCreateCampaigns, canWrite } from '../../core/can.ts'
import { useCampaigns, useNetworks, useOffers } from '../../core/choices.ts'
import { amount } from '../../core/format.ts'
import { isTest } from '../../core/test_id.ts'
import { use } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { setupWords } from '../../text/setup.ts'
import { Counts } from './counts.tsx'
import type { First } from './first.tsx'

const w = setupWords.first

const mostNetworks = 4 // networks whose postback is shown

type Way = keyof typeof w.ways
type StepRow = {
  name: keyof typeof w.steps
  done: boolean
  href?: string | false
  out?: boolean
  act?: ComponentChildren
  more?: ComponentChildren
  note?: string | false
}

// FirstSteps shows the steps from an empty account to its first conversion: for offers of a network, or for a website of the
// account.
export function FirstSteps({ of }: { of: First }) {
  const networks = useNetworks(),
    sites = use('GET /sites', {}).data?.sites,
    [chosen, setChosen] = useState<Way>()
  if (!networks || !sites) return null
  const way = chosen ?? (sites.length && !networks.length ? 'shop' : 'network')
  return (
    <Part look="card" title={of.converted ? w.doneTitle(amount(of.converted.payout, of.converted.currency)) : w.title}>
      <p class="dim">{of.converted ? w.doneText : w.text}</p>
      <Counts isEmpty={!of.seen} />
      {!networks.length && !of.seen && (
        <Seg
          label={w.way}
          value={way}
          options={(Object.keys(w.ways) as Way[]).map(value => ({ value, label: w.ways[value] }))}
          on={setChosen}
        />
      )}
      {way === 'shop' ? <ShopSteps of={of} hasSite={sites.length > 0} /> : <NetworkSteps of={of} networks={networks} />}
      {of.converted && !isTest(of.converted.conversion_id) && (
        <div class="row wraps">
          <span class="dim grow">{w.costText}</span>
          {canWrite() && <Link look="sm" href={to('/app/corrections', { kind: 'cost' })} text={w.toCost} />}
          {canWrite() && <Link look="sm" href={to('/app/integrations')} text={w.toFetch} />}
          <Button look="sm" onClick={of.close} text={w.close} />
        </div>
      )}
    </Part>
  )
}

function NetworkSteps({ of, networks }: { of: First; networks: NetworkRow[] }) {
  const offers = useOffers(),
    campaigns = useCampaigns(),
    campaign = campaigns?.[0]
  if (!offers || !campaigns) return null
  const network = networks.find(n => n.id === of.seen?.network_id) ?? networks[0],
    others = networks.filter(n => n !== network).slice(0, mostNetworks - 1),
    may = canWrite(),
    told = !!of.converted && !isTest(of.converted.conversion_id) // a test says nothing about the postback at the network
  const steps: StepRow[] = [
    { name: 'network', done: networks.length > 0, href: may && to('/app/networks', networks.length ? {} : { id: 'new' }) },
    { name: 'offer', done: offers.length > 0, href: may && to('/app/offers', offers.length ? {} : { id: 'new' }) },
    { name: 'campaign', done: !!campaign, href: canCreateCampaigns() && to('/app/campaigns/new') },
    { name: 'link', done: !!campaign?.url, href: campaign && to(`/app/campaigns/${campaign.id}/link`) },
    {
      name: 'click',
      done: !!of.seen,
      note: of.seen?.is_bot && w.firstIsBot,
      href: of.seen ? to('/app/clicks', { click: of.seen.click_id }) : campaign?.url,
      out: !of.seen,
    },
    {
      name: 'postback',
      done: told,
      href: network && to('/app/networks', { id: network.id }),
      more: network && !told && [network, ...others].map(n => <NetworkURL key={n.id} of={n} />),
    },
    {
      name: 'conversion',
      done: !!of.converted,
      note: !of.converted && !!of.seen?.lander_id && !of.seen.offer_id && w.onLander,
      href: of.converted && to('/app/conversions', { conversion: of.converted.id }),
      // a network with signed notifications (postback_scheme) has no address that a test can call
      act: may && network && of.seen && !network.postback_scheme && (!of.converted || isTest(of.converted.conversion_id)) && (
        <TestConversion
          key={(of.converted ?? of.seen).click_id}
          network={network}
          offer={offers.find(o => o.id === (of.converted ?? of.seen!).offer_id)}
          click={of.converted ?? of.seen}
          out={of.reset}
        />
      ),
    },
  ]
  return (
    <>
      <Steps of={steps} />
      {of.converted && !told && network && <p>{w.donePostback(network.name)}</p>}
    </>
  )
}

function ShopSteps({ of, hasSite }: { of: First; hasSite: boolean }) {
  const campaign = useCampaigns()?.[0],
    data = use('GET /goals', {}, 10).data,
    totals = data?.siteTotals,
    goals = to('/app/goals')
  if (data && !data.planIncludes)
    return (
      <p class="warn">
        {w.noPlan}{' '}
        <a class="link" href={to('/app/plan')}>
          {w.toPlan}
        </a>
      </p>
    )
  return (
    <Steps
      of={[
        { name: 'site', done: hasSite, href: hasSite ? goals : canWrite() && to('/app/goals', { add: '1' }) },
        { name: 'siteCampaign', done: !!campaign, href: canCreateCampaigns() && to('/app/campaigns/new', { to: 'site' }) },
        { name: 'tag', done: !!totals && totals.views + totals.events > 0, href: hasSite && goals },
        {
          name: 'siteClick',
          done: !!of.seen,
          note: of.seen?.is_bot && w.firstIsBot,
          href: of.seen ? to('/app/clicks', { click: of.seen.click_id }) : campaign?.url,
          out: !of.seen,
        },
        {
          name: 'order',
          done: !!of.converted,
          href: of.converted ? to('/app/conversions', { conversion: of.converted.id }) : hasSite && goals,
        },
      ]}
    />
  )
}

const Steps = ({ of: steps }: { of: StepRow[] }) => {
  const current = steps.findIndex(s => !s.done && s.name !== 'postback') // before a conversion, the page cannot know if the postback is set
  return (
    <ol class="steps">
      {steps.map((s, i) => (
        <Step key={s.name} n={i + 1} of={s} here={i === current} />
      ))}
    </ol>
  )
}

// arrived has the texts of the steps that become done while a person waits.
const arrived: Partial<Record<StepRow['name'], string>> = {
  click: t.link.firstHere,
  siteClick: t.link.firstHere,
  conversion: t.link.conversionHere,
  order: t.link.conversionHere,
}

const outside = { target: '_blank', rel: 'noreferrer' }

const Step = ({ n, of: s, here }: { n: number; of: StepRow; here: boolean }) => (
  <li class={s.done ? 'done' : here ? 'here' : ''}>
    <span class="mark">{s.done ? <Icon name="check" /> : <span class="num">{n}</span>}</span>
    <div class="grow" role={s.name in arrived ? 'status' : undefined}>
      {(s.done && arrived[s.name]) || w.steps[s.name]}
      {s.note && <small class="warn block">{s.note}</small>}
      {!s.done && <span class="hidden"> {w.notYet}</span>}
      {s.more}
    </div>
    {s.act ||
      (s.href && (
        <a class={'btn sm' + (here ? ' primary' : '')} href={s.href} {...(s.out ? outside : {})}>
          {s.done ? w.look[s.name] : w.go[s.name]}
        </a>
      ))}
  </li>
)
