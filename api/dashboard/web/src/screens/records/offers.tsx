import type { LanderRow, OfferRow } from '../../api.gen.ts'
import { CapText, CapUse, useCaps } from '../../parts/caps.tsx'
import { Part } from '../../parts/card.tsx'
import { call } from '../../core/call.ts'
import { useGroups, useTracking } from '../../core/campaign.ts'
import { choicesOf, useNetworks } from '../../core/choices.ts'
import { amount } from '../../core/format.ts'
import { asWritten } from '../../core/idn.ts'
import { clickIDPart } from '../../core/tokens.ts'
import { me } from '../../core/me.ts'
import { touches } from '../../core/query.ts'
import { place } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { recordWords } from '../../text/records.ts'
import { ClickOut, isElsewhere } from '../../parts/click_out.tsx'
import { OfferHint } from '../../parts/offer_hint.tsx'
import { otherCurrency } from '../../parts/other_currency.tsx'
import { needed, type Section } from '../../parts/record_form.tsx'
import { failed, toast } from '../../core/toast.ts'
import { Protection } from './lander_protection.tsx'
import { Records, type Kind } from './records.tsx'

const w = recordWords.fields
type Checked = { url: string; last_check: OfferRow['last_check'] }

// Check shows the result of the last check of an address, if the check failed.
const Check = ({ of: r }: { of: Checked }) =>
  r.last_check && !r.last_check.ok ? (
    <span class={'tag ' + (r.last_check.broken ? 'bad' : 'warn')} title={r.last_check.error ?? ''}>
      {r.last_check.broken ? recordWords.broken : recordWords.failing} {r.last_check.status ?? ''}
    </span>
  ) : null
const host = (url: string) => asWritten(/^https?:\/\/([^/?#]+)/i.exec(url)?.[1] ?? url)
const check = (body: object) =>
  call('POST /tools/check-links', { body }).then(got => {
    touches('offers', 'landers')
    toast(got.ok ? recordWords.works(got.status ?? 200) : recordWords.doesNot(got.error ?? String(got.status ?? '')), { bad: !got.ok })
  }, failed)

const labels = (groups: string[] | undefined): Section => ({
  title: w.labels,
  specs: [
    { name: 'group_name', kind: 'group', label: t.lists.group, known: groups },
    { name: 'country', kind: 'country', label: t.campaigns.fields.country },
    { name: 'tags', kind: 'tags', label: t.campaigns.fields.tags },
    { name: 'notes', kind: 'area', label: t.campaigns.fields.notes, max: 2000 },
  ],
})

// Offers lists the offers, where visitors convert.
export function Offers() {
  const networks = useNetworks(),
    groups = useGroups('offers'),
    caps = useCaps(),
    names = new Map(networks?.map(n => [n.id, n.name])),
    network = place.value.query.get('network') ?? (networks?.length === 1 ? networks[0]!.id : null),
    currencyOf = (id: unknown) => networks?.find(n => n.id === id)?.currency ?? me.value!.account.currency
  const kind: Kind<OfferRow> = {
    name: 'offers',
    next: { path: '/app/campaigns/new', param: 'offer', text: recordWords.nextCampaign },
    path: '/app/offers',
    word: t.kinds.offers,
    dimension: 'offer_id',
    figures: ['clicks', 'conversions', 'cr', 'revenue', 'profit', 'epc'],
    rest: recordWords.noOffer,
    sums: ['clicks', 'conversions', 'revenue'], // not the cost, because the sum would lack the cost of visitors who reached no offer
    clones: true,
    usesRouting: true,
    under: r => names.get(r.network_id ?? '') ?? host(r.url),
    marks: r => (
      <>
        <Check of={r} />
        <CapText caps={caps} offer={r.id} />
        {r.capped_today && <span class="tag warn">{recordWords.capped}</span>}
      </>
    ),
    extra: [
      {
        name: 'payout',
        label: w.payout,
        cell: r => (r.payout_type === 'percent' ? `${r.payout}%` : amount(r.payout, r.currency)),
      },
    ],
    fresh: {
      name: '',
      url: '',
      network_id: network,
      payout: 0,
      payout_type: 'fixed',
      currency: currencyOf(network),
      payout_from_param: true,
      country: '',
      daily_cap: null,
      group_name: '',
      tags: [],
      notes: '',
    },
    byCode: { invalid_network: 'network_id' },
    more: () => [{ label: recordWords.check, on: r => void check({ offer_id: r.id }) }],
    aside: r => {
      const cap = caps.find(c => c.id === r.id)
      return (
        cap && (
          <Part title={w.cap}>
            <CapUse of={cap} />
          </Part>
        )
      )
    },
    sections: r => [
      {
        title: t.campaigns.fields.basics,
        specs: [
          { name: 'name', kind: 'text', label: t.overview.name, wide: true, check: needed('name', t.needs.name) },
          {
            name: 'network_id',
            kind: 'combo',
            label: t.conversions.network,
            choices: choicesOf(networks),
            none: w.noNetwork,
            follow: v => (r ? {} : { currency: currencyOf(v) }),
          },
          {
            name: 'url',
            kind: 'url',
            label: w.url,
            hint: d => <OfferHint url={String(d.url ?? '')} network={networks?.find(n => n.id === d.network_id)} />,
            check: needed('url', t.needs.url),
          },
        ],
      },
      {
        title: recordWords.fields.payout,
        specs: [
          {
            name: 'payout_type',
            kind: 'select',
            label: w.payoutType,
            options: [
              { value: 'fixed', label: w.fixed },
              { value: 'percent', label: w.percent },
            ],
          },
          {
            name: 'payout',
            kind: 'money',
            label: w.payout,
            hint: d => (d.payout_type === 'percent' ? undefined : w.payoutHint),
            currency: d => (d.payout_type === 'percent' ? '%' : String(d.currency)),
          },
          { name: 'currency', kind: 'text', label: t.campaigns.fields.currency, hint: otherCurrency, max: 3, mono: true },
          { name: 'payout_from_param', kind: 'switch', label: w.fromPostback, hint: w.fromPostbackHint },
          { name: 'daily_cap', kind: 'number', label: w.cap, hint: w.capHint, min: 1, whole: true, none: true },
        ],
      },
      labels(groups),
    ],
  }
  return <Records kind={kind} />
}

// Landers lists the pages that visitors see before the offer.
export function Landers() {
  const groups = useGroups('landers'),
    { domain, origin } = useTracking()
  const kind: Kind<LanderRow> = {
    name: 'landers',
    next: { path: '/app/campaigns/new', param: 'lander', text: recordWords.nextCampaign },
    path: '/app/landers',
    word: t.kinds.landers,
    dimension: 'lander_id',
    figures: ['lp_views', 'lp_ctr', 'conversions', 'cr', 'profit', 'roi'],
    rest: recordWords.noLander,
    sums: ['lp_views', 'conversions'], // not the cost, because the sum would lack the cost of visitors who saw no landing page
    clones: true,
    usesRouting: true,
    under: r => host(r.url),
    marks: r => (
      <>
        <Check of={r} />
        {r.protection.enabled && <span class="tag">{recordWords.protected}</span>}
      </>
    ),
    fresh: { name: '', url: '', click_slots: 1, country: '', group_name: '', tags: [], notes: '' },
    more: () => [{ label: recordWords.check, on: r => void check({ lander_id: r.id }) }],
    aside: r => (
      <>
        <Part title={w.slots}>
          <ClickOut of={r} origin={origin} />
        </Part>
        <Protection of={r} domain={domain} />
      </>
    ),
    sections: () => [
      {
        title: t.campaigns.fields.basics,
        specs: [
          { name: 'name', kind: 'text', label: t.overview.name, wide: true, check: needed('name', t.needs.name) },
          {
            name: 'url',
            kind: 'url',
            label: w.url,
            hint: d => {
              const part = isElsewhere(String(d.url ?? ''), domain) && clickIDPart(String(d.url))
              return part && <span class="warn">{w.landerHint(part)}</span>
            },
            check: needed('url', t.needs.url),
          },
          { name: 'click_slots', kind: 'number', label: w.slotCount, hint: w.slotHint, min: 1, max: 20, whole: true },
        ],
      },
      labels(groups),
    ],
  }
  return <Records kind={kind} />
}
