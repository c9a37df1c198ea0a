import { useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { Button, Link } from '../../parts/button.tsx'
import { useAttempt } from '../../core/busy.ts'
import { asError, call } from '../../core/call.ts'
import { hasProblems, newAlias, useDefaultDomain, useDomains, useIsShared, useLeadsAway } from '../../core/campaign.ts'
import { choicesOf, useFlows, useLanders, useNetworks, useOffers, useSources } from '../../core/choices.ts'
import { handleSubmit } from '../../core/submit.ts'
import { clickIDPart, hasClickID, looksLikeURL, withClickID } from '../../core/tokens.ts'
import { touches, use } from '../../core/query.ts'
import { go, place, to } from '../../core/router.ts'
import { canCreateCampaigns } from '../../core/can.ts'
import { me } from '../../core/me.ts'
import { t } from '../../core/text.ts'
import { recordWords } from '../../text/records.ts'
import { setupWords } from '../../text/setup.ts'
import { useUnsaved } from '../../core/unsaved.ts'
import { useHeading } from '../../core/title.ts'
import { ComboField, ComboMany } from '../../parts/combobox.tsx'
import { Field, FormError, Input, MoneyInput, Seg, wrongOf, type Wrong } from '../../parts/form.tsx'
import { Icon } from '../../parts/icons.tsx'
import { OfferHint } from '../../parts/offer_hint.tsx'
import { EmptyCard } from '../../parts/state.tsx'
import { UrlInput } from '../../parts/url_input.tsx'
import { NoClickID, OwnSite } from './own_site.tsx'

const w = setupWords.wizard

type Way = 'offer' | 'site' | 'flow' | 'address'
const template = 'template:', // the prefix of a choice that creates a source or a network from a template
  typed = 'new:' // the prefix of a choice that creates a source or a landing page from the typed text

// NewCampaign makes a campaign in three steps: where visitors go, where they come from, and the link. It can also make the offer,
// the offer's network, a landing page and the source.
export const NewCampaign = () => {
  const list = to('/app/campaigns')
  useHeading({ name: t.campaigns.add, above: { name: t.campaigns.title, path: list } })
  return canCreateCampaigns() ? (
    <Wizard />
  ) : (
    <EmptyCard title={t.failed.codes.buyer_only}>
      <Link href={list} text={w.toList} />
    </EmptyCard>
  )
}

// made waits for a new record, reloads the list and returns the record's id. An error is thrown as a Wrong at the field that
// fieldOf returns.
const made = async (list: string, creating: Promise<{ id: string }>, fieldOf: (named?: string) => string) => {
  const { id } = await creating.catch(e => {
    const wrong = wrongOf(asError(e), ['name', 'url'])
    throw { ...wrong, field: fieldOf(wrong.field) } as Wrong
  })
  touches(list)
  return id
}

// makeLander makes a landing page from its URL.
const makeLander = (url: string) => {
  const body = { name: url.replace(/^https?:\/\/|[?#].*$/gi, '').slice(0, 255), url: withClickID(url, 'clickid') }
  return made('landers', call('POST /landers', { body }), () => 'lander')
}

// blankForm returns the form of a new campaign.
const blankForm = () => ({
  offer: place.value.query.get('offer') ?? '',
  moreOffers: [] as string[],
  lander: place.value.query.get('lander') ?? '',
  flow: '',
  address: '',
  site: '',
  siteURL: '',
  offerName: '',
  offerURL: '',
  network: '',
  source: place.value.query.get('source') ?? '',
  cost: null as number | null,
  name: '',
  alias: newAlias(),
  domain: '',
})

// fieldsByCode returns the field that an error of the service is about, by the error's code.
const fieldsByCode = (way: Way) => ({
  destination_required: way === 'offer' ? 'offer' : way,
  invalid_destination: 'offer',
  invalid_destination_url: way === 'site' ? 'siteURL' : 'address',
  invalid_site: 'site',
  alias_taken: 'alias',
  duplicate_name: 'name',
  name_required: 'name',
  invalid_flow: 'flow',
  invalid_domain: 'domain',
})

// useWizard holds what a person has entered, and makes the campaign.
function useWizard() {
  const offers = useOffers(),
    landers = useLanders(),
    sources = useSources(),
    flows = useFlows(),
    networks = useNetworks(),
    sites = use('GET /sites', {}).data?.sites.filter(s => s.isActive),
    defaultDomain = useDefaultDomain(),
    isShared = useIsShared()
  const templates = use('GET /traffic-source-templates', {}).data?.rows,
    networkTemplates = use('GET /network-templates', {}).data?.rows
  const [way, setWay] = useState<Way>(place.value.query.get('to') === 'site' ? 'site' : 'offer'),
    [wantsNewOffer, setWantsNewOffer] = useState<boolean>(),
    [checked, setChecked] = useState(false)
  const [form, setForm] = useState(blankForm)
  const { busy, wrong, setWrong, run } = useAttempt<Wrong>(e => {
    const explained = e as Wrong // thrown by sourceID, networkID, offerID and landerID
    if (typeof explained.text === 'string' && !(e instanceof Error)) return explained
    return wrongOf(asError(e), ['name', 'alias', 'offer', 'source', 'address', 'domain'], fieldsByCode(way))
  })
  const set = (v: Partial<typeof form>) => {
    setForm({ ...form, ...v })
    setWrong(undefined)
  }
  useUnsaved(() => !!(form.name || form.offerName || form.offerURL || form.address || form.siteURL))
  const makesOffer = wantsNewOffer ?? offers?.length === 0,
    offer = form.offer || (offers?.length === 1 ? offers[0]!.id : '')
  const moreOffers = form.moreOffers.filter(id => makesOffer || id !== offer)
  const offerName = makesOffer ? form.offerName : (offers?.find(o => o.id === offer)?.name ?? '')
  const networkTemplate = networkTemplates?.find(n => template + n.id === form.network),
    savedNetwork = networks?.find(n => n.id === form.network),
    network = networkTemplate ?? savedNetwork,
    currency = network?.currency || me.value!.account.currency
  const platform = form.source.startsWith(template) ? templates?.find(s => template + s.platform === form.source) : undefined
  const site = sites?.find(s => s.id === (form.site || (sites.length === 1 ? sites[0]!.id : ''))),
    siteURL = form.siteURL || (site?.domain ? `https://${site.domain}/` : '')
  const ownSource = form.source.startsWith(typed) ? form.source.slice(typed.length) : ''
  const ownLander = form.lander.startsWith(typed) ? form.lander.slice(typed.length) : ''
  const chosenSource = platform ?? sources?.find(s => s.id === form.source),
    sourceName = ownSource || (chosenSource?.name ?? ''),
    asksCost = !!form.source && !chosenSource?.cost_macro // without a macro for the cost, the link does not tell the cost of a click
  const name =
    form.name ||
    [{ offer: offerName, site: site?.name, flow: flows?.find(o => o.id === form.flow)?.name, address: '' }[way], sourceName]
      .filter(Boolean)
      .join(' · ')
  // chosen stores the id of a record that was made for a field of the form.
  const chosen = async (field: 'source' | 'network' | 'lander' | 'offer', making: Promise<string>) => {
    const id = await making
    setForm(now => ({ ...now, [field]: id }))
    return id
  }
  // sourceID returns the id of the chosen source. It makes the source if a platform is chosen or a new name was typed.
  const sourceID = async () => {
    if (!platform && !ownSource) return form.source
    const body = platform ? { platform: platform.platform, name: platform.name } : { name: ownSource }
    return chosen(
      'source',
      made('traffic-sources', call('POST /traffic-sources', { body }), () => 'source'),
    )
  }
  // networkID returns the id of the chosen network. It makes the network if a template is chosen.
  const networkID = async () => {
    if (!networkTemplate) return form.network
    const body = { template: networkTemplate.id, name: networkTemplate.name, currency }
    return chosen(
      'network',
      made('networks', call('POST /networks', { body }), () => 'network'),
    )
  }
  // landerID returns the id of the chosen landing page. It makes the page if a new URL was typed.
  const landerID = async () => (ownLander ? chosen('lander', makeLander(ownLander)) : form.lander)
  // offerID returns the id of the chosen offer. It makes the offer if a new one was entered.
  const offerID = async () => {
    if (!makesOffer) return offer
    const body = { name: form.offerName, url: form.offerURL, network_id: (await networkID()) || null, currency },
      making = made('offers', call('POST /offers', { body }), named => (named === 'url' ? 'offerURL' : 'offerName')),
      id = await chosen('offer', making)
    setWantsNewOffer(false) // the offer exists now, even if the next step fails
    return id
  }
  const domain = form.domain || defaultDomain,
    shared = isShared(domain)
  const missing = missingOf({ ...form, way, makesOffer, offer, siteURL, site: site?.id ?? '', name, alias: shared || form.alias })
  const create = () => {
    setChecked(true)
    if (Object.keys(missing).length) {
      requestAnimationFrame(() => document.querySelector<HTMLElement>('.wizard [aria-invalid]')?.focus())
      return
    }
    return run(async () => {
      const target =
        way === 'offer'
          ? { streams: [defaultPath([await offerID(), ...moreOffers], await landerID())] }
          : way === 'flow'
            ? { flow_id: form.flow }
            : way === 'site'
              ? { destination_url: siteURL + clickIDPart(siteURL), mode: site!.kind, measurement_site_id: site!.id }
              : { destination_url: form.address }
      const source = await sourceID()
      const campaign = await call('POST /campaigns', {
        body: {
          name,
          alias: form.alias,
          ...(domain ? { domain_id: domain } : {}),
          ...(source ? { source_id: source } : {}),
          ...(asksCost && form.cost ? { cost_model: 'cpc', cost_value: form.cost } : {}),
          ...target,
        },
      })
      touches('campaigns')
      const problems = await hasProblems(campaign.id)
      go(to(`/app/campaigns/${campaign.id}/link`, problems ? { first: '1', check: '1' } : { first: '1' }))
    })
  }
  return {
    offers,
    landers,
    ownLander,
    sources,
    flows,
    sites,
    site,
    siteURL,
    templates,
    form,
    set,
    way,
    setWay,
    makesOffer,
    setWantsNewOffer,
    offer,
    moreOffers,
    networks,
    networkTemplates,
    network,
    platform,
    sourceName,
    asksCost,
    domain,
    shared,
    name,
    wrong,
    error: (field: string) => (wrong?.field === field ? wrong.text : checked ? missing[field] : undefined),
    off: busy,
    create,
  }
}
type State = ReturnType<typeof useWizard>

type Entered = Record<'offerName' | 'offerURL' | 'offer' | 'flow' | 'address' | 'site' | 'siteURL' | 'name', string> & {
  way: Way
  makesOffer: boolean
  alias: string | true
}
// missingOf returns what is still to be entered, by field.
function missingOf(e: Entered): Record<string, string> {
  const all: [string, boolean, string][] = [
    ['offerName', e.way === 'offer' && e.makesOffer && !e.offerName.trim(), t.needs.name],
    ['offerURL', e.way === 'offer' && e.makesOffer && !e.offerURL.trim(), t.needs.url],
    ['offer', e.way === 'offer' && !e.makesOffer && !e.offer, t.needs.offer],
    ['flow', e.way === 'flow' && !e.flow, t.needs.flow],
    ['site', e.way === 'site' && !e.site, w.needsSite],
    ['siteURL', e.way === 'site' && !!e.site && !e.siteURL, t.needs.url],
    ['address', e.way === 'address' && !e.address.trim(), t.needs.destination],
    ['name', e.way === 'address' && !e.name.trim(), t.needs.name],
    ['alias', !e.alias, t.needs.alias],
  ]
  return Object.fromEntries(all.filter(([, isMissing]) => isMissing).map(([field, , text]) => [field, text]))
}

// defaultPath returns the only path of a new campaign. Paths that a person adds later are tried before it.
const defaultPath = (offers: string[], lander: string) => ({
  name: w.everybody,
  stream_type: 'default',
  action: lander ? 'lander' : 'offer',
  destinations: [lander, ...offers].filter(Boolean).map(id => ({ id, weight: 100 })),
})

function Wizard() {
  const state = useWizard(),
    { form, set, error, name } = state,
    domains = useDomains(),
    leadsAway = useLeadsAway()(state.domain)
  return (
    <form class="wizard" noValidate onSubmit={handleSubmit(state.create)}>
      <Step n={1} title={w.whereTo}>
        <Seg
          label={w.whereTo}
          value={state.way}
          options={[
            { value: 'offer', label: w.toOffer },
            { value: 'site', label: w.toSite },
            { value: 'flow', label: w.toFlow },
            { value: 'address', label: w.toAddress },
          ]}
          on={state.setWay}
        />
        <div class="fields">{targets[state.way](state)}</div>
      </Step>
      <Step n={2} title={w.whereFrom}>
        <div class="fields">
          <Source of={state} />
          {state.asksCost && (
            <Field label={w.cost} hint={w.costHint}>
              {wired => <MoneyInput wired={wired} value={form.cost} currency={me.value!.account.currency} on={cost => set({ cost })} />}
            </Field>
          )}
        </div>
      </Step>
      <Step n={3} title={w.theLink}>
        <div class="fields">
          <Field label={t.overview.name} hint={!form.name && name ? w.leftEmpty(name) : undefined} error={error('name')}>
            {wired => <Input wired={wired} value={form.name} on={v => set({ name: v })} maxLength={255} />}
          </Field>
          <ComboField
            label={t.campaigns.domain}
            hint={state.shared ? t.campaigns.sharedHint : leadsAway ? w.leadsAway : undefined}
            error={error('domain')}
            value={state.domain}
            choices={domains}
            on={domain => set({ domain })}
          />
          {!state.shared && (
            <Field label={t.campaigns.alias} hint={w.aliasHint} error={error('alias')}>
              {wired => (
                <Input wired={wired} class="mono" value={form.alias} on={alias => set({ alias })} maxLength={64} spellcheck={false} />
              )}
            </Field>
          )}
        </div>
      </Step>
      <FormError wrong={state.wrong} />
      <div class="row">
        <span class="grow" />
        <Link href={to('/app/campaigns')} text={t.parts.cancel} />
        <Button type="submit" look="primary" disabled={state.off} text={w.create} />
      </div>
    </form>
  )
}

// targets are the fields of the first step, for each way.
const targets: Record<Way, (state: State) => ComponentChildren> = {
  offer: state => <Offer of={state} />,
  flow: ({ flows, form, set, error }) => (
    <ComboField
      label={w.savedFlow}
      error={error('flow')}
      hint={flows?.length === 0 ? t.campaigns.noFlows : undefined}
      value={form.flow}
      choices={choicesOf(flows)}
      on={flow => set({ flow })}
    />
  ),
  site: ({ sites, site, siteURL, set, error }) => <OwnSite sites={sites} site={site} url={siteURL} on={set} error={error} />,
  address: ({ form, set, error }) => (
    <Field label={t.campaigns.address} wide error={error('address')}>
      {wired => (
        <>
          <UrlInput wired={wired} label={t.campaigns.address} value={form.address} on={address => set({ address })} />
          {looksLikeURL(form.address) && !hasClickID(form.address) && <NoClickID url={form.address} on={address => set({ address })} />}
        </>
      )}
    </Field>
  ),
}

// Offer has the fields of a new offer or the choice of a saved one, then the choice of more offers and of a landing page.
const Offer = ({
  of: {
    offers,
    landers,
    ownLander,
    offer,
    moreOffers,
    networks,
    networkTemplates,
    network,
    form,
    set,
    makesOffer,
    setWantsNewOffer,
    error,
  },
}: {
  of: State
}) => (
  <>
    {makesOffer ? (
      <>
        <Field label={w.offerName} hint={offers?.length ? undefined : w.offersLater} error={error('offerName')}>
          {wired => <Input wired={wired} name="offerName" value={form.offerName} on={offerName => set({ offerName })} maxLength={255} />}
        </Field>
        <ComboField
          label={t.conversions.network}
          error={error('network')}
          value={form.network}
          shown={network?.name ?? recordWords.fields.noNetwork}
          none={recordWords.fields.noNetwork}
          choices={withTemplates(
            networks,
            networkTemplates?.map(n => ({ value: n.id, label: n.name })),
          )}
          on={network => set({ network })}
        />
        <Field label={w.offerURL} wide hint={<OfferHint url={form.offerURL} network={network} />} error={error('offerURL')}>
          {wired => <UrlInput wired={wired} label={w.offerURL} value={form.offerURL} on={offerURL => set({ offerURL })} />}
        </Field>
      </>
    ) : (
      <ComboField
        label={t.dimensions.offer_id}
        error={error('offer')}
        value={offer}
        placeholder={w.chooseOffer}
        choices={choicesOf(offers)}
        on={offer => set({ offer })}
      />
    )}
    {offers && offers.length > 0 && (
      <div class="field">
        <span class="label wide">&nbsp;</span>
        <button type="button" class="btn atstart" onClick={() => setWantsNewOffer(!makesOffer)}>
          {!makesOffer && <Icon name="plus" />}
          {makesOffer ? w.takeOffer : w.makeOffer}
        </button>
      </div>
    )}
    {offers && offers.length > (makesOffer ? 0 : 1) && (
      <Field label={w.moreOffers} hint={w.moreOffersHint}>
        {wired => (
          <ComboMany
            wired={wired}
            label={w.moreOffers}
            values={moreOffers}
            choices={choicesOf(offers)?.filter(o => makesOffer || o.value !== offer)}
            on={moreOffers => set({ moreOffers })}
          />
        )}
      </Field>
    )}
    <ComboField
      label={t.dimensions.lander_id}
      hint={ownLander ? w.landerNew(withClickID(ownLander, 'clickid')) : w.landerHint}
      error={error('lander')}
      value={form.lander}
      shown={ownLander || undefined}
      none={w.noLander}
      empty={w.wholeURL}
      make={url => (looksLikeURL(url) ? { value: typed + url, label: url, side: w.newLander } : undefined)}
      choices={choicesOf(landers)}
      on={lander => set({ lander })}
    />
  </>
)

type Named = { id: string; name: string; status: string }

const byLabel = (a: { label: string }, b: { label: string }) => a.label.localeCompare(b.label)

// withTemplates returns records as choices by name, followed by the templates that can become a record.
const withTemplates = (records: Named[] | undefined, templates: { value: string; label: string }[] | undefined) =>
  records &&
  templates && [
    ...choicesOf(records)!.sort(byLabel),
    ...templates
      .filter(o => !records.some(r => r.name === o.label))
      .sort(byLabel)
      .map(o => ({ value: template + o.value, label: o.label, side: w.template })),
  ]

// Source chooses a source, or a platform or a new name for which a source is made.
const Source = ({ of: { sources, templates, platform, sourceName, form, set, error } }: { of: State }) => (
  <ComboField
    label={t.campaigns.source}
    hint={platform ? w.sourceMade(platform.name) : form.source.startsWith(typed) ? w.sourceNew : w.sourceHint}
    error={error('source')}
    value={form.source}
    shown={sourceName}
    placeholder={w.typeSource}
    none={t.campaigns.noSource}
    make={name => ({ value: typed + name, label: name, side: w.newSource })}
    on={source => set({ source })}
    choices={withTemplates(
      sources,
      templates?.filter(p => !sources?.some(s => s.platform === p.platform)).map(p => ({ value: p.platform, label: p.name })),
    )}
  />
)

const Step = ({ n, title, children }: { n: number; title: string; children: ComponentChildren }) => (
  <section class="card part">
    <h2>
      <span class="face" aria-hidden="true">
        {n}
      </span>
      {title}
    </h2>
    {children}
  </section>
)
