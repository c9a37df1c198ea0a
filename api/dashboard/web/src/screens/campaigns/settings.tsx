import { useMemo, useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { useDomains, useGroups, useIsShared, type TabProps } from '../../core/campaign.ts'
import { choicesOf, useSources } from '../../core/choices.ts'
import { can, me } from '../../core/me.ts'
import { use } from '../../core/query.ts'
import { go, to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { span } from '../../core/window.ts'
import { spanText, count } from '../../core/format.ts'
import { needed, RecordForm, type Section, type Draft } from '../../parts/record_form.tsx'
import { useAsk } from '../../parts/ask.tsx'
import { Ask } from '../../parts/sheet.tsx'
import { toastAndReload } from '../../core/toast.ts'
import { removalOf } from './remove.ts'

const options = (texts: Record<string, string>) => Object.entries(texts).map(([value, label]) => ({ value, label }))
const w = t.campaigns.fields

const currency = (d: Draft) => String(d.currency || me.value!.account.currency)
const hasAmount = (d: Draft) => ['cpc', 'cpuc', 'cpm', 'cpa', 'cps'].includes(String(d.cost_model))

// useSections returns the fields of a campaign's settings. `domain` is the id of the saved domain. On a shared domain the service makes
// the alias, so there is no field for it.
function useSections(domain: string) {
  const domains = useDomains(),
    isShared = useIsShared(),
    sources = useSources(),
    groups = useGroups('campaigns'),
    sites = use('GET /sites', {}).data?.sites
  return useMemo(
    (): Section[] => [
      {
        title: w.basics,
        specs: [
          { name: 'name', kind: 'text', label: t.overview.name, check: needed('name', t.needs.name) },
          {
            name: 'domain_id',
            kind: 'combo',
            label: t.campaigns.domain,
            hint: d => (isShared(String(d.domain_id)) ? (d.domain_id === domain ? t.campaigns.sharedHint : w.sharedMove) : undefined),
            choices: domains,
          },
          {
            name: 'alias',
            kind: 'text',
            label: t.campaigns.alias,
            hint: w.aliasHint,
            mono: true,
            max: 64,
            when: d => !isShared(String(d.domain_id)),
            check: needed('alias', t.needs.alias),
          },
          { name: 'source_id', kind: 'combo', label: t.campaigns.source, choices: choicesOf(sources), none: t.campaigns.noSource },
          { name: 'group_name', kind: 'group', label: t.lists.group, known: groups },
          { name: 'tags', kind: 'tags', label: w.tags },
          { name: 'country', kind: 'country', label: w.country, hint: w.countryHint },
          { name: 'is_pinned', kind: 'switch', label: t.lists.pinned, hint: w.pinnedHint },
        ],
      },
      {
        title: t.figures.names.cost,
        text: w.costText,
        specs: [
          { name: 'cost_model', kind: 'select', label: w.costModel, options: options(w.costModels) },
          { name: 'cost_value', kind: 'money', label: w.costValue, currency, when: hasAmount },
          { name: 'cost_value', kind: 'number', label: w.costShare, unit: '%', min: 0, when: d => d.cost_model === 'revshare' },
          { name: 'currency', kind: 'text', label: w.currency, max: 3, mono: true },
          { name: 'traffic_loss_pct', kind: 'number', label: w.loss, hint: w.lossHint, unit: '%', min: 0, max: 99.99 },
        ],
      },
      {
        title: w.routing,
        specs: [
          {
            name: 'flow_rotation',
            kind: 'select',
            label: w.rotation,
            hint: d => w.rotationHints[String(d.flow_rotation)],
            options: options(w.rotations),
          },
          { name: 'bind_visitors', kind: 'select', label: w.bind, hint: w.bindHint, options: options(w.binds) },
          { name: 'destination_url', kind: 'url', label: w.destination, hint: w.destinationHint },
          { name: 'fallback_url', kind: 'url', label: w.fallback, hint: w.fallbackHint },
        ],
      },
      {
        title: w.unique,
        text: w.uniqueText,
        folded: true,
        specs: [
          { name: 'uniqueness_method', kind: 'select', label: w.uniqueBy, options: options(w.uniqueWays) },
          {
            name: 'uniqueness_param',
            kind: 'text',
            label: t.link.param,
            when: d => d.uniqueness_method === 'param',
            max: 100,
            mono: true,
          },
          { name: 'uniqueness_ttl_hours', kind: 'number', label: w.uniqueFor, unit: w.hours, min: 1, max: 8760, whole: true },
        ],
      },
      {
        title: w.goals,
        folded: true,
        specs: [
          { name: 'mode', kind: 'select', label: w.mode, hint: w.modeHint, options: options(w.modes) },
          {
            name: 'measurement_site_id',
            kind: 'combo',
            label: w.site,
            none: w.noSite,
            choices: sites?.map(s => ({ value: s.id, label: s.name })),
            when: d => d.mode !== 'affiliate',
          },
          { name: 'primary_goal_key', kind: 'text', label: w.goal, mono: true, max: 64 },
          { name: 'tracked_goal_keys', kind: 'tags', label: w.tracked },
        ],
      },
      { title: w.notes, specs: [{ name: 'notes', kind: 'area', label: w.notes, max: 10000 }] },
    ],
    // eslint-disable-next-line react-hooks/exhaustive-deps -- isShared changes with domains
    [domain, domains, sources, groups, sites],
  )
}

// CampaignSettings edits all settings of a campaign except its flow.
export function CampaignSettings({ detail: { campaign: c } }: TabProps) {
  const sections = useSections(c.domain_id),
    isShared = useIsShared(),
    [clearing, setClearing] = useState(false),
    [question, ask] = useAsk()
  const save = async (draft: Draft, changed: string[], revision?: string) => {
    const sent = changed.filter(n => n !== 'alias' || !isShared(String(draft.domain_id)))
    await call('PATCH /campaigns/{id}', {
      path: { id: c.id },
      body: { ...Object.fromEntries(sent.map(n => [n, draft[n] ?? null])), revision },
    })
    toastAndReload(t.parts.saved, 'campaigns', 'groups')
  }
  return (
    <div class="card narrow">
      <RecordForm
        sections={sections}
        value={c as unknown as Draft}
        save={save}
        latest={() =>
          call('GET /campaigns/{id}', { path: { id: c.id } }).then(({ campaign }) => ({
            fields: campaign as unknown as Draft,
            match: campaign.revision,
          }))
        }
        submit={t.parts.save}
        readOnly={!canWrite()}
        byCode={{
          duplicate_name: 'name',
          name_required: 'name',
          shared_alias: 'alias',
          alias_taken: 'alias',
          invalid_site: 'measurement_site_id',
          invalid_goal_key: 'primary_goal_key',
          invalid_traffic_loss: 'traffic_loss_pct',
          invalid_uniqueness_ttl: 'uniqueness_ttl_hours',
          uniqueness_param_required: 'uniqueness_param',
          invalid_source: 'source_id',
          invalid_domain: 'domain_id',
        }}
        foot={
          <>
            {can('member') && <Button look="quiet" onClick={() => setClearing(true)} text={t.campaigns.clear} />}
            <Button look="quiet" onClick={() => ask(removalOf(c, () => go(to('/app/campaigns'))))} text={t.lists.remove} />
          </>
        }
      />
      {question}
      {clearing && <Clear of={c} close={() => setClearing(false)} />}
    </div>
  )
}

// Clear asks before the clicks and conversions of the window are deleted, and shows how many of each there are.
function Clear({ of: c, close }: { of: TabProps['detail']['campaign']; close: () => void }) {
  const window = { from: span.value.from, to: span.value.to },
    stats = use('GET /campaigns/{id}/stats', window, 0, { id: c.id }).data
  return (
    <Ask
      title={t.campaigns.clear}
      text={
        stats
          ? t.campaigns.clearText(stats.clicks, count(stats.clicks), stats.conversions, count(stats.conversions), spanText(span.value.span))
          : t.loading
      }
      go={t.campaigns.clear}
      danger
      name={c.name}
      close={close}
      on={() =>
        call('DELETE /campaigns/{id}/stats', { path: { id: c.id }, query: window }).then(({ clicks }) =>
          toastAndReload(t.campaigns.cleared(clicks, count(clicks)), 'campaigns', 'reports', 'stats', 'logs'),
        )
      }
    />
  )
}
