import { useState } from 'preact/hooks'
import type { NetworkRow, SourceRow, SubSlot, TestedPostback, TriedSource } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Part } from '../../parts/card.tsx'
import { ApiError, asError, call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { useCampaigns, useOffers } from '../../core/choices.ts'
import { targetOfRecord } from '../../core/cost.ts'
import { asWritten } from '../../core/idn.ts'
import { me } from '../../core/me.ts'
import { use } from '../../core/query.ts'
import { go, to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { enterWords } from '../../text/enter.ts'
import { recordWords } from '../../text/records.ts'
import { copy } from '../../parts/copy.tsx'
import { useCostSheet } from '../../parts/cost_place.tsx'
import { Field } from '../../parts/form.tsx'
import { NetworkURL } from '../../parts/network_url.tsx'
import { otherCurrency } from '../../parts/other_currency.tsx'
import { needed, type Draft, type Spec } from '../../parts/record_form.tsx'
import { Alert, Failed } from '../../parts/state.tsx'
import { TestSteps } from '../../parts/trace.tsx'
import { failed, toastAndReload } from '../../core/toast.ts'
import { PostbackURL, unfilled, withoutTemplate } from './postback_url.tsx'
import { Records, type Kind } from './records.tsx'
import { schemeSpecs, setupOf } from './scheme.ts'
import { SubParams } from './sub_params.tsx'
import { saveFile, Template } from './template.tsx'
import { UnknownWords } from './unknown_words.tsx'

const w = recordWords.fields
const params = ['click_id', 'payout', 'status', 'conversion_id', 'goal'].map(value => ({ value, label: w.params[value]! }))
const statuses = ['approved', 'pending', 'rejected', 'chargeback'].map(value => ({ value, label: recordWords.statuses[value]! }))

const labels: Spec[] = [
  { name: 'group_name', kind: 'text', label: t.lists.group },
  { name: 'tags', kind: 'tags', label: t.campaigns.fields.tags },
  { name: 'notes', kind: 'area', label: t.campaigns.fields.notes, max: 2000 },
]

// freshSource is a source before a person has entered anything.
const freshSource: Draft = {
  name: '',
  platform: '',
  external_id_param: '',
  external_id_macro: '',
  cost_param: '',
  cost_macro: '',
  cost_model: 'cpc',
  token_macros: {},
  subs: [],
  traffic_loss_pct: 0,
  postback_url: '',
  postback_method: 'GET',
  postback_statuses: ['approved'],
  postback_goals: [],
  send_payout_pct: 100,
  group_name: '',
  tags: [],
  notes: '',
}

// Sources lists the traffic sources, where clicks come from.
export function Sources() {
  const templates = use('GET /traffic-source-templates', {}).data?.rows,
    campaigns = useCampaigns(),
    [costSheet, openCost] = useCostSheet()
  const templateOf = (d: Draft) => templates?.find(p => p.platform === d.platform),
    exampleOf = (d: Draft) => templateOf(d)?.postback_url ?? ''
  const kind: Kind<SourceRow> = {
    name: 'traffic-sources',
    next: { path: '/app/campaigns/new', param: 'source', text: recordWords.nextCampaign },
    tidy: withoutTemplate,
    path: '/app/sources',
    word: t.kinds.sources,
    dimension: 'source_id',
    figures: ['clicks', 'conversions', 'cost', 'revenue', 'profit', 'roi'],
    fresh: freshSource,
    under: r => templates?.find(p => p.platform === r.platform)?.name ?? recordWords.own,
    usedBy: r => campaigns?.filter(c => c.source_id === r.id).map(c => ({ kind: 'campaign', id: c.id, name: c.name, status: c.status })),
    more: () => [
      { label: t.campaigns.setCost, key: '$', on: r => openCost(targetOfRecord({ source: r.id }), r.name), if: canWrite },
      { label: t.nav.itsPostbacks, on: r => go(to('/app/postbacks', { dir: 'out', source: r.id })) },
      { label: recordWords.shareTemplate, on: r => void saveFile('traffic-sources', r) },
    ],
    pick: onPick => (
      <Template
        kind="traffic-sources"
        label={w.platform}
        onPick={onPick}
        list={templates?.map(({ page, read_on, ...p }) => ({
          value: p.platform,
          label: p.name,
          page,
          readOn: read_on,
          draft: { ...freshSource, ...p },
        }))}
      />
    ),
    aside: r => (
      <>
        {r.postback_url && <TryPostback of={r} />}
        <section class="part">
          <Connected to={{ source: r.id }} path="/app/sources" id={r.id} log={{ dir: 'out', source: r.id }} />
        </section>
      </>
    ),
    sections: r => [
      {
        title: t.campaigns.fields.basics,
        specs: [
          { name: 'name', kind: 'text', label: t.overview.name, check: needed('name', t.needs.name) },
          {
            name: 'cost_model',
            kind: 'select',
            label: t.figures.names.cost,
            options: Object.entries(w.costModels).map(([value, label]) => ({ value, label })),
          },
        ],
      },
      {
        title: w.link,
        text: w.linkText,
        specs: [
          { name: 'external_id_param', kind: 'text', label: w.idParam, mono: true, max: 100 },
          { name: 'external_id_macro', kind: 'text', label: w.idMacro, mono: true, max: 64 },
          { name: 'cost_param', kind: 'text', label: w.costParam, mono: true, max: 100 },
          { name: 'cost_macro', kind: 'text', label: w.costMacro, mono: true, max: 64 },
          {
            name: 'token_macros',
            kind: 'own',
            label: w.macros,
            render: (d, set, error) => (
              <Field label={w.macros} hint={w.macrosHint} error={error} group>
                {() => (
                  <SubParams
                    id={r?.id}
                    macros={d.token_macros as Record<string, string>}
                    subs={d.subs as SubSlot[]}
                    on={(macros, subs) => {
                      set('token_macros', macros)
                      set('subs', subs)
                    }}
                  />
                )}
              </Field>
            ),
          },
          // The field of token_macros edits the sub-parameters too. This field only shows the error of the sub-parameters.
          { name: 'subs', kind: 'own', label: w.macros, render: (_d, _set, error) => error && <Alert text={error} /> },
        ],
      },
      {
        title: w.told,
        text: w.toldText,
        specs: [
          {
            name: 'postback_url',
            kind: 'own',
            label: w.postbackURL,
            check: d => unfilled(String(d.postback_url ?? ''), exampleOf(d)),
            render: (d, set, error) => (
              <PostbackURL
                key={exampleOf(d)} // a new component is mounted when the templates have been loaded
                value={String(d.postback_url ?? '')}
                example={exampleOf(d)}
                page={templateOf(d)?.page}
                error={error}
                on={v => set('postback_url', v)}
              />
            ),
          },
          { name: 'postback_method', kind: 'select', label: w.method, options: ['GET', 'POST'].map(v => ({ value: v, label: v })) },
          { name: 'send_payout_pct', kind: 'number', label: w.payoutShare, unit: '%', min: 0, max: 100 },
          { name: 'postback_statuses', kind: 'tags', label: w.toldStatuses, known: statuses.map(s => s.value) },
        ],
      },
      {
        title: w.labels,
        folded: true,
        specs: [
          {
            name: 'traffic_loss_pct',
            kind: 'number',
            label: t.campaigns.fields.loss,
            hint: t.campaigns.fields.lossHint,
            unit: '%',
            min: 0,
            max: 99.99,
          },
          ...labels,
        ],
      },
    ],
  }
  return (
    <>
      <Records kind={kind} />
      {costSheet}
    </>
  )
}

type ConnectedProps = { to: Record<string, string>; path: string; id: string; log: Record<string, string> }

// `Connected` has three links for a traffic source or a network: to the log of its postbacks, to the screen on which a person
// connects it to its platform, and to the comparison of its figures with ours.
const Connected = ({ to: of, path, id, log }: ConnectedProps) => (
  <>
    <p>
      <a class="link" href={to('/app/postbacks', log)}>
        {t.nav.itsPostbacks}
      </a>
    </p>
    <p>
      <a class="link" href={to('/app/integrations', of)}>
        {t.nav.itsConnection}
      </a>
    </p>
    <p>
      <a class="link" href={to(`${path}/${id}/difference`)}>
        {t.nav.differ}
      </a>
    </p>
  </>
)

// TryPostback reports a made-up conversion to the source, and shows the source's answer.
function TryPostback({ of: r }: { of: SourceRow }) {
  const [result, setResult] = useState<TriedSource>(),
    [error, setError] = useState<ApiError>()
  const run = () =>
    call('POST /traffic-sources/{id}/test-postback', { path: { id: r.id }, body: {} }).then(setResult, e => setError(asError(e)))
  return (
    <section class="part">
      <div class="row">
        <h2>{recordWords.tryTold}</h2>
        <span class="grow" />
        <Button look="sm" onClick={() => void run()} icon="play" text={t.link.tryIt} />
      </div>
      {error && <Failed error={error} again={() => void run()} />}
      {result && (
        <p class="wrap" role="status">
          <span class={'tag ' + (result.told ? 'good' : 'warn')}>{result.http_status ?? recordWords.notTold}</span>{' '}
          <span class="mono">{result.request.url}</span>
          {result.error && <span class="block bad">{result.error}</span>}
        </p>
      )}
    </section>
  )
}

const storeTemplate = (r: NetworkRow) =>
  call('POST /network-templates', {
    body: {
      name: r.name,
      currency: r.currency,
      url: r.url,
      offer_type: r.offer_type,
      click_param: r.click_param,
      postback_params: r.postback_params,
      macros: r.macros,
      postback_scheme: r.postback_scheme,
      status_map: r.status_map,
      answer_text: r.answer_text,
      notes: r.notes,
      payment_terms: r.payment_terms,
      payment_frequency: r.payment_frequency,
      minimum_payout: r.minimum_payout,
    },
  }).then(() => toastAndReload(recordWords.templateSaved(r.name), 'network-templates'), failed)

// Networks lists the affiliate networks, where conversions come from.
export function Networks() {
  const templates = use('GET /network-templates', {}).data?.rows,
    offers = useOffers()
  const fresh: Draft = {
    name: '',
    currency: me.value!.account.currency,
    url: '',
    offer_type: 'CPA',
    click_param: '',
    postback_params: {},
    macros: {},
    postback_scheme: '',
    status_map: {},
    answer_text: '',
    group_name: '',
    tags: [],
    notes: '',
    manager_name: '',
    manager_email: '',
    manager_phone: '',
    manager_im: '',
    payment_terms: '',
    payment_frequency: '',
    minimum_payout: null,
  }
  const kind: Kind<NetworkRow> = {
    name: 'networks',
    next: { path: '/app/offers', with: { id: 'new' }, param: 'network', text: recordWords.nextOffer },
    path: '/app/networks',
    word: t.kinds.networks,
    dimension: 'network_id',
    rest: recordWords.noNetwork,
    figures: ['clicks', 'conversions', 'approve_rate', 'revenue', 'profit', 'epc'],
    fresh,
    under: r => [r.currency, r.url && asWritten(r.url.replace(/^https?:\/\//, ''))].filter(Boolean).join(' · '),
    usedBy: r => offers?.filter(o => o.network_id === r.id).map(o => ({ kind: 'offer', id: o.id, name: o.name, status: o.status })),
    more: () => [
      { label: recordWords.copyPostback, key: 'y', on: r => void copy(r.postback_url, recordWords.postbackCopied) },
      { label: recordWords.asTemplate, on: r => void storeTemplate(r), if: canWrite },
      { label: recordWords.shareTemplate, on: r => void saveFile('networks', r) },
    ],
    pick: onPick => (
      <Template
        kind="networks"
        label={w.template}
        onPick={onPick}
        list={templates?.map(n => ({
          value: n.id || n.name,
          label: n.name,
          page: n.page,
          readOn: n.read_on,
          draft: { ...fresh, ...Object.fromEntries(Object.entries(n).filter(([name, v]) => name in fresh && v !== '' && v !== null)) },
        }))}
      />
    ),
    aside: r => (
      <Part title={recordWords.paste}>
        <NetworkURL of={r} />
        {r.offer_url_suffix && (
          <p class="dim">
            <code class="mono">{r.offer_url_suffix}</code> {t.link.suffix}
          </p>
        )}
        <UnknownWords of={r} />
        {r.postback_scheme ? <p class="dim">{setupOf(r.postback_scheme)}</p> : <TestPostback of={r} />}
        <Connected to={{ network: r.id }} path="/app/networks" id={r.id} log={{ network: r.id }} />
      </Part>
    ),
    sections: () => [
      {
        title: t.campaigns.fields.basics,
        specs: [
          { name: 'name', kind: 'text', label: t.overview.name, check: needed('name', t.needs.name) },
          {
            name: 'currency',
            kind: 'text',
            label: t.campaigns.fields.currency,
            hint: d => otherCurrency(d) ?? w.networkCurrency,
            mono: true,
            max: 3,
          },
          { name: 'url', kind: 'text', label: t.campaigns.fields.site, max: 2000 },
          { name: 'click_param', kind: 'text', label: w.clickParam, hint: w.clickParamHint, mono: true },
        ],
      },
      {
        title: t.link.postbacks,
        text: w.postbackText,
        specs: [
          ...schemeSpecs,
          {
            name: 'macros',
            kind: 'pairs',
            label: w.macrosOf,
            hint: w.macrosOfHint,
            heads: ['', ''],
            keys: params,
            when: d => !d.postback_scheme,
          },
        ],
      },
      {
        title: w.otherNames,
        folded: true,
        specs: [
          {
            name: 'postback_params',
            kind: 'pairs',
            label: w.paramsOf,
            hint: d => (d.postback_scheme ? w.membersHint : w.paramsOfHint),
            heads: ['', ''],
            keys: params,
          },
          { name: 'status_map', kind: 'words', label: w.words, hint: w.wordsHint, keys: statuses },
          { name: 'answer_text', kind: 'text', label: w.answer, hint: w.answerHint, mono: true, max: 200 },
        ],
      },
      {
        title: w.contact,
        folded: true,
        specs: [
          {
            name: 'offer_type',
            kind: 'select',
            label: w.offerType,
            options: ['CPA', 'CPS', 'CPL', 'CPC', 'CPM'].map(v => ({ value: v, label: v })),
          },
          { name: 'manager_name', kind: 'text', label: w.manager },
          { name: 'manager_email', kind: 'text', label: enterWords.email },
          { name: 'manager_im', kind: 'text', label: w.im },
          { name: 'manager_phone', kind: 'text', label: w.phone },
          { name: 'payment_terms', kind: 'text', label: w.terms },
          { name: 'payment_frequency', kind: 'text', label: w.often },
          { name: 'minimum_payout', kind: 'number', label: w.minimum, none: true, min: 0 },
        ],
      },
      { title: w.labels, folded: true, specs: labels },
    ],
  }
  return <Records kind={kind} />
}

// TestPostback tries the network's postback without recording anything.
function TestPostback({ of: r }: { of: NetworkRow }) {
  const [result, setResult] = useState<TestedPostback>(),
    [error, setError] = useState<ApiError>()
  const run = () => call('POST /networks/{id}/test-postback', { path: { id: r.id }, body: {} }).then(setResult, e => setError(asError(e)))
  return (
    <>
      <div class="row">
        <span class="dim">{recordWords.testText}</span>
        <span class="grow" />
        <Button look="sm" onClick={() => void run()} icon="play" text={t.link.tryIt} />
      </div>
      {error && <Failed error={error} again={() => void run()} />}
      {result && <TestSteps of={result.steps} />}
    </>
  )
}
