import { useState } from 'preact/hooks'
import type { GoalRow, GoalSuggested, Site } from '../../api.gen.ts'
import { ApiError, call } from '../../core/call.ts'
import { changeAccount } from '../../core/account.ts'
import { suggestedCurrency } from '../../core/currency.ts'
import type { Latest } from '../../core/latest.ts'
import { can, me } from '../../core/me.ts'
import { t } from '../../core/text.ts'
import { setupWords } from '../../text/setup.ts'
import { recordWords } from '../../text/records.ts'
import { w } from '../../text/goals.ts'
import type { Option } from '../../core/choices.ts'
import { otherCurrency } from '../../parts/other_currency.tsx'
import { needed, RecordForm, type Draft, type Section } from '../../parts/record_form.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { toastAndReload } from '../../core/toast.ts'
import { settingsWords } from '../../text/account.ts'
import { w as correctionWords } from '../../text/corrections.ts'

const options = (texts: Record<string, string>): Option[] => Object.entries(texts).map(([value, label]) => ({ value, label }))

// bodyOf returns a goal as a request body with every field, because a missing field would be reset to its default.
export const bodyOf = (g: GoalRow) => ({
  key: g.key,
  name: g.name,
  kind: g.kind,
  matchPath: g.matchPath,
  dedupe: g.dedupe,
  valueMode: g.valueMode,
  value: g.value,
  siteId: g.siteId,
  currency: g.currency,
  status: g.status,
  isPrimary: g.isPrimary,
  isActive: g.isActive,
})

// rethrow throws an error of the service. If the forms have a text for its code, the text replaces the message.
const rethrow = (e: unknown): never => {
  throw e instanceof ApiError && w.errors[e.code] ? new ApiError(e.code, e.status, w.errors[e.code]!, e.request) : e
}

const isPage = (d: Draft) => d.kind === 'page',
  hasFixedValue = (d: Draft) => d.valueMode === 'fixed'
// sections returns the fields of a goal. A goal that exists keeps its key.
const sections = (exists: boolean): Section[] => [
  {
    title: w.basics,
    specs: [
      ...(exists
        ? []
        : [{ name: 'key', kind: 'text' as const, label: w.key, hint: w.keyHint, max: 64, mono: true, check: needed('key', t.needs.key) }]),
      { name: 'name', kind: 'text', label: t.overview.name, hint: w.nameHint, max: 120 },
      { name: 'kind', kind: 'select', label: w.goalKind, options: options(w.goalKinds) },
      { name: 'matchPath', kind: 'text', label: w.matchPath, hint: w.matchHint, max: 500, mono: true, when: isPage },
    ],
  },
  {
    title: w.counting,
    specs: [
      { name: 'dedupe', kind: 'select', label: w.dedupe, options: options(w.dedupes) },
      { name: 'status', kind: 'select', label: w.status, options: options(w.statuses) },
      { name: 'valueMode', kind: 'select', label: w.valueMode, options: options(w.valueModes) },
      { name: 'value', kind: 'number', label: correctionWords.amount, min: 0, when: hasFixedValue },
      {
        name: 'currency',
        kind: 'text',
        label: settingsWords.currency,
        hint: w.currencyHint,
        max: 3,
        mono: true,
        when: d => d.valueMode !== 'none',
      },
      { name: 'isPrimary', kind: 'switch', label: w.primary },
      { name: 'isActive', kind: 'switch', label: t.lists.states.active! },
    ],
  },
]
const fieldByCode = { bad_key: 'key', no_value: 'value', duplicate_name: 'name', bad_goal_shape: 'matchPath' }
const empty: Draft = {
  key: '',
  name: '',
  kind: 'event',
  matchPath: '',
  dedupe: 'per_click',
  valueMode: 'none',
  value: 0,
  currency: '',
  status: 'approved',
  isPrimary: false,
  isActive: true,
}

const siteDraft = (s: Site): Draft => ({
  name: s.name,
  domain: s.domain,
  currency: s.currency,
  kind: s.kind,
  revenueFrom: s.revenueFrom,
  isActive: s.isActive,
})
// latestIn finds a goal or a site in a list that was read again.
const latestIn = <R extends { id: string; updatedAt: string }>(list: R[], id: string, draft: (r: R) => Draft): Latest | undefined => {
  const found = list.find(o => o.id === id)
  return found && { fields: draft(found), match: found.updatedAt }
}

// GoalForm creates a goal, from nothing or from a suggestion, or changes a goal.
export function GoalForm({ of: g, site, close }: { of: GoalRow | GoalSuggested | null; site: Site; close: () => void }) {
  const [dirty, setDirty] = useState(false)
  const exists = g !== null && 'id' in g,
    start: Draft = exists
      ? bodyOf(g)
      : g
        ? { ...empty, key: g.key, name: g.name, kind: g.kind, matchPath: g.matchPath, dedupe: g.dedupe, valueMode: g.valueMode }
        : empty
  const save = async (d: Draft, _: string[], match?: string) => {
    const body: Draft = { ...d, matchPath: isPage(d) ? d.matchPath : '', value: hasFixedValue(d) ? d.value : 0, siteId: site.id }
    const { goal } = await call('PUT /goals', { body: body as { key: string }, match }).catch(rethrow)
    toastAndReload(w.goalSaved(goal.name), 'goals')
    close()
  }
  return (
    <Sheet side title={g ? g.name : w.add} close={close} keep={() => dirty}>
      <RecordForm
        sections={sections(exists)}
        value={start}
        saveUnchanged={!exists}
        byCode={fieldByCode}
        onDirty={setDirty}
        save={save}
        latest={exists ? () => call('GET /goals', { query: { site: site.id } }).then(now => latestIn(now.goals, g.id, bodyOf)) : undefined}
        submit={exists ? t.parts.save : w.create}
        cancel={close}
      />
    </Sheet>
  )
}

// SiteForm creates or changes a site.
export function SiteForm({
  of: s,
  first,
  close,
  made,
}: {
  of: Site | null
  first?: boolean
  close: () => void
  made: (id: string) => void
}) {
  const [dirty, setDirty] = useState(false),
    ours = me.value!.account.currency,
    differs = (d: Draft) => String(d.currency).toUpperCase() !== ours
  const start: Draft = s
    ? siteDraft(s)
    : {
        name: '',
        domain: '',
        currency: first ? suggestedCurrency(ours) : ours,
        ofAccount: true,
        kind: 'store',
        revenueFrom: 'order',
        isActive: true,
        seedGoals: true,
      }
  const save = async (d: Draft, _: string[], match?: string) => {
    const { ofAccount, ...body } = d
    body.domain = String(d.domain)
      .replace(/^https?:\/\//i, '')
      .replace(/[/?#:].*$/, '') // a pasted URL counts as its host
    if (first && ofAccount && differs(d) && can('owner')) await changeAccount({ currency: String(d.currency).toUpperCase() })
    const saving = s ? call('PUT /sites', { body: { ...body, id: s.id }, match }) : call('POST /sites', { body }),
      { site } = await saving.catch(rethrow)
    toastAndReload(recordWords.saved(site.name), 'goals', 'sites')
    if (!s) made(site.id)
    close()
  }
  return (
    <Sheet title={s ? s.name : w.addSite} close={close} keep={() => dirty}>
      <RecordForm
        value={start}
        saveUnchanged={!s}
        byCode={{ duplicate_name: 'name', invalid: 'domain' }}
        onDirty={setDirty}
        save={save}
        latest={s ? () => call('GET /sites', { query: {} }).then(now => latestIn(now.sites, s.id, siteDraft)) : undefined}
        submit={s ? t.parts.save : w.createSite}
        cancel={close}
        sections={[
          {
            title: t.campaigns.fields.site,
            specs: [
              { name: 'name', kind: 'text', label: t.overview.name, max: 120, check: needed('name', t.needs.name) },
              { name: 'domain', kind: 'text', label: w.domain, hint: w.domainHint, max: 500, mono: true },
              { name: 'kind', kind: 'select', label: w.kind, options: options(w.kinds) },
              {
                name: 'currency',
                kind: 'text',
                label: settingsWords.currency,
                hint: d => !d.ofAccount && otherCurrency(d),
                max: 3,
                mono: true,
              },
              ...(first && can('owner')
                ? [{ name: 'ofAccount', kind: 'switch' as const, label: setupWords.uncounted.ofAccount, when: differs }]
                : []),
              { name: 'revenueFrom', kind: 'select', label: w.revenueFrom, options: options(w.revenues) },
              ...(s ? [] : [{ name: 'seedGoals', kind: 'switch' as const, label: w.seed, hint: w.seedHint }]),
              { name: 'isActive', kind: 'switch', label: t.lists.states.active!, hint: w.activeHint },
            ],
          },
        ]}
      />
    </Sheet>
  )
}
