import { useState } from 'preact/hooks'
import type { DomainRow, SmartlinkAnswer } from '../../api.gen.ts'
import { Button, Link } from '../../parts/button.tsx'
import { Part } from '../../parts/card.tsx'
import { useAttempt } from '../../core/busy.ts'
import { asError, call } from '../../core/call.ts'
import { newAlias } from '../../core/campaign.ts'
import { canWrite } from '../../core/can.ts'
import { choicesOf, useSources } from '../../core/choices.ts'
import { sent } from '../../core/condition.ts'
import { asWritten } from '../../core/idn.ts'
import { usePress } from '../../core/keys.ts'
import { latestOf, versionOf } from '../../core/latest.ts'
import type { Conflict, Fields } from '../../core/merge.ts'
import { use } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { Named } from '../../core/subs.ts'
import { t } from '../../core/text.ts'
import { toastAndReload } from '../../core/toast.ts'
import { w } from '../../text/smartlinks.ts'
import { ComboField } from '../../parts/combobox.tsx'
import { Copy, copy } from '../../parts/copy.tsx'
import { Area, Field, FormError, wrongOf, type Wrong, InputField } from '../../parts/form.tsx'
import { QR } from '../../parts/qr.tsx'
import { Conflicts, useRecordDraft } from '../../parts/record_draft.tsx'
import { Cancel, Sheet } from '../../parts/sheet.tsx'
import { Empty, Loading } from '../../parts/state.tsx'
import { UrlInput } from '../../parts/url_input.tsx'
import { Rules, type Rule } from './rules.tsx'
import { Stats } from './stats.tsx'

type Draft = { name: string; slug: string; domain_id: string; destination_url: string; source_id: string; notes: string; rules: Rule[] }

const draftOf = (l: SmartlinkAnswer): Draft => ({
  name: l.name,
  slug: l.slug,
  domain_id: l.domain_id,
  destination_url: l.destination_url,
  source_id: l.source_id ?? '',
  notes: l.notes,
  rules: l.rules.map(({ id, name, logic, conditions, destination_url }) => ({ id, name, logic, conditions, destination_url })),
})

const explain = (e: unknown): Wrong => {
  const error = asError(e),
    at = wrongOf(error, ['name', 'slug', 'domain_id', 'destination_url', 'source_id', 'notes', 'rules'], {
      duplicate_name: 'name',
      duplicate_slug: 'slug',
      invalid_slug: 'slug',
      invalid_domain: 'domain_id',
      invalid_url: 'destination_url',
      invalid_source: 'source_id',
      invalid_rule_url: 'rules',
      no_conditions: 'rules',
      invalid_condition: 'rules',
    })
  return { ...at, text: w.errors[error.code] ?? at.text }
}

const labels: Record<string, string> = {
  name: t.overview.name,
  slug: w.slug,
  domain_id: t.campaigns.domain,
  destination_url: w.destination,
  source_id: t.campaigns.source,
  notes: t.campaigns.fields.notes,
  rules: w.rules,
}

// useDraft holds the form of a smartlink, and saves it. `usual` is the domain that is used if none is chosen.
function useDraft(l: SmartlinkAnswer | null, usual: string, close: () => void) {
  const [start] = useState<Draft>(() => ({
      name: '',
      slug: newAlias(),
      domain_id: '',
      destination_url: '',
      source_id: '',
      notes: '',
      rules: [],
    })),
    { draft: fields, setDraft, changed, conflicts, store, adoptTheirs } = useRecordDraft(l ? draftOf(l) : start, Object.keys(start)),
    draft = fields as Draft,
    [checked, setChecked] = useState(false),
    { busy, wrong, setWrong, run } = useAttempt(explain)
  const set = (change: Partial<Draft>) => {
    setDraft(now => ({ ...now, ...change }))
    setWrong(undefined)
  }
  const missing: Record<string, string | false> = {
    slug: !draft.slug.trim() && t.needs.alias,
    destination_url: !draft.destination_url.trim() && t.needs.destination,
  }
  const save = () => {
    const isMissing = Object.values(missing).some(Boolean)
    setChecked(isMissing)
    if (isMissing) {
      requestAnimationFrame(() => document.querySelector<HTMLElement>('.smartlink [aria-invalid]')?.focus())
      return
    }
    const latest = l ? () => latestOf('short-links', l).then(now => now && { fields: draftOf(now), match: versionOf(now) }) : undefined
    return run(() => store(latest, send))
  }
  const send = async (fields: Fields, _: string[], match?: string) => {
    const { source_id, ...rest } = fields as Draft,
      body = {
        ...rest,
        domain_id: rest.domain_id || usual,
        source_id: source_id || null,
        rules: rest.rules.map((r, i) => ({ ...r, position: i + 1, conditions: r.conditions.map(sent) })),
      }
    if (l) await call('PUT /short-links', { body: { ...body, id: l.id }, match })
    else await call('POST /short-links', { body })
    toastAndReload(w.saved(rest.name || rest.slug), 'short-links')
    close()
  }
  return {
    draft,
    set,
    wrong,
    at: (field: string) => (wrong?.field === field ? wrong.text : (checked && missing[field]) || undefined),
    busy,
    changed: changed.length > 0,
    conflicts,
    adoptTheirs,
    save,
  }
}

// Smartlink shows a smartlink: its link, the clicks by rule, and the form that creates or changes it.
export function Smartlink({ of: l, close }: { of: SmartlinkAnswer | null; close: () => void }) {
  const domains = use('GET /domains', { limit: 500 }),
    own = domains.data,
    usual = (own?.rows.find(d => d.is_default) ?? own?.rows.find(d => d.is_verified) ?? own?.rows[0])?.id ?? '',
    sources = useSources(),
    may = canWrite(),
    { draft, set, wrong, at, busy, changed, conflicts, adoptTheirs, save } = useDraft(l, usual, close)
  const ready = l !== null || !!own?.rows.length
  const send = () => {
    if (may && ready) void save()
  }
  usePress(e => {
    if ((e.ctrlKey || e.metaKey) && e.key === 's') {
      e.preventDefault()
      send()
    } else if (l && e.key === 'y' && !e.ctrlKey && !e.metaKey && !e.altKey && !(e.target as Element).closest('input, textarea, select')) {
      e.preventDefault()
      void copy(l.url, w.copied)
    }
  })
  if (!ready)
    return (
      <Sheet side title={w.add} close={close}>
        {own ? <NoDomain /> : <Loading of={domains} height={200} />}
      </Sheet>
    )
  return (
    <Sheet
      side
      reads={l !== null}
      title={l ? l.name || l.slug : w.add}
      close={close}
      keep={() => changed}
      beside={
        l && !l.is_active ? (
          <span class="tag" title={w.hide}>
            {t.lists.states.paused}
          </span>
        ) : undefined
      }>
      {own?.rows.length === 0 && <NoDomain />}
      {l && <Address url={l.url} />}
      {l && <Stats id={l.id} />}
      <form
        class="record smartlink"
        noValidate
        onSubmit={e => {
          e.preventDefault()
          send()
        }}>
        <fieldset disabled={!may}>
          <Basics draft={draft} set={set} domain={draft.domain_id || usual} own={own?.rows} sources={sources} at={at} />
          <Part title={w.rules}>
            <Named.Provider value={sources?.find(s => s.id === draft.source_id)?.sub_names ?? {}}>
              <Rules list={draft.rules} on={rules => set({ rules })} sources={sources} error={at('rules')} may={may} />
            </Named.Provider>
            <Field label={w.destination} error={at('destination_url')}>
              {wired => (
                <UrlInput
                  wired={wired}
                  label={w.destination}
                  value={draft.destination_url}
                  on={destination_url => set({ destination_url })}
                />
              )}
            </Field>
            <Field label={t.campaigns.fields.notes} error={at('notes')}>
              {wired => <Area wired={wired} value={draft.notes} max={2000} rows={2} on={notes => set({ notes })} />}
            </Field>
          </Part>
        </fieldset>
        <FormError wrong={wrong} />
        <Conflicts of={conflicts} labels={labels} adoptTheirs={adoptTheirs} show={c => conflictText(c, own?.rows, sources)} />
        {may && (
          <div class="row formfoot">
            <span class="grow" />
            <Cancel close={close} />
            <Button type="submit" look="primary" disabled={busy || (!!l && !changed)} text={l ? t.parts.save : w.create} letter="Ctrl S" />
          </div>
        )}
      </form>
    </Sheet>
  )
}

// conflictText returns the other person's value of a conflict as text, if the conflict is about the domain, the source or the rules.
function conflictText({ name, theirs }: Conflict, domains: DomainRow[] | undefined, sources: ReturnType<typeof useSources>) {
  if (name === 'domain_id') return domains?.find(d => d.id === theirs)?.domain
  if (name === 'source_id') return sources?.find(s => s.id === theirs)?.name
  const rules = name === 'rules' ? (theirs as Rule[]) : []
  return rules.map((r, i) => w.ruleOf(i + 1, r.name)).join(', ') || undefined
}

// NoDomain says what a smartlink needs before it can be created.
const NoDomain = () => (
  <Empty title={w.noDomain} more={w.noDomainMore}>
    <Link look="primary" href={to('/app/domains')} text={w.toDomains} />
  </Empty>
)

const Address = ({ url }: { url: string }) => (
  <section class="part">
    <div class="row linkrow">
      <Copy lines text={url} label={w.link} />
    </div>
    <details class="addurl">
      <summary>{t.link.qr}</summary>
      <QR text={url} label={t.link.qrOf(url)} />
    </details>
  </section>
)

type BasicsProps = {
  draft: Draft
  set: (change: Partial<Draft>) => void
  domain: string
  own?: DomainRow[]
  sources: ReturnType<typeof useSources>
  at: (field: string) => string | undefined
}

const Basics = ({ draft, set, domain, own, sources, at }: BasicsProps) => (
  <Part title={w.basics}>
    <div class="fields">
      <InputField label={t.overview.name} error={at('name')} value={draft.name} maxLength={255} on={name => set({ name })} />
      <InputField
        label={w.slug}
        hint={w.slugHint}
        error={at('slug')}
        class="mono"
        value={draft.slug}
        maxLength={64}
        spellcheck={false}
        on={slug => set({ slug })}
      />
      <ComboField
        label={t.campaigns.domain}
        error={at('domain_id')}
        value={domain}
        choices={own?.map(d => ({ value: d.id, label: asWritten(d.domain), side: d.is_verified ? '' : t.campaigns.unverified }))}
        on={domain_id => set({ domain_id })}
      />
      <ComboField
        label={t.campaigns.source}
        error={at('source_id')}
        value={draft.source_id}
        none={t.campaigns.noSource}
        choices={choicesOf(sources)}
        on={source_id => set({ source_id })}
      />
    </div>
  </Part>
)
