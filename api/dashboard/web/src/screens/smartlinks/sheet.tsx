import { useState } from 'preact/hooks'
import type { Condition, SmartlinkAnswer, SmartlinkStats } from '../../api.gen.ts'
import { asError, call } from '../../core/call.ts'
import { newAlias } from '../../core/campaign.ts'
import { canWrite } from '../../core/can.ts'
import { choicesOf, useSources } from '../../core/choices.ts'
import { fresh, sent } from '../../core/condition.ts'
import { count, spanText } from '../../core/format.ts'
import { usePress } from '../../core/keys.ts'
import { useLookup } from '../../core/lookup.ts'
import { touches, use } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { span } from '../../core/window.ts'
import { w } from '../../text/smartlinks.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { Conditions } from '../../parts/condition.tsx'
import { Copy, copy } from '../../parts/copy.tsx'
import { Area, Field, FormError, Input, wrongOf, type Wrong } from '../../parts/form.tsx'
import { Icon } from '../../parts/icons.tsx'
import { QR } from '../../parts/qr.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { Failed, Late } from '../../parts/state.tsx'
import { toast } from '../../core/toast.ts'
import { UrlInput } from '../../parts/url_input.tsx'

type Rule = { id?: string; name: string; logic: 'and' | 'or'; conditions: Condition[]; destination_url: string }
type Draft = { name: string; slug: string; domain_id: string; destination_url: string; source_id: string; notes: string; rules: Rule[] }
const mostRules = 20

const draftOf = (l: SmartlinkAnswer): Draft => ({
  name: l.name,
  slug: l.slug,
  domain_id: l.domain_id,
  destination_url: l.destination_url,
  source_id: l.source_id ?? '',
  notes: l.notes,
  rules: l.rules.map(({ id, name, logic, conditions, destination_url }) => ({ id, name, logic, conditions, destination_url })),
})

// Smartlink shows a smartlink: its link, the clicks by rule, and the form that creates or changes it.
export function Smartlink({ of: l, close }: { of: SmartlinkAnswer | null; close: () => void }) {
  const { data: own } = use('GET /domains', { limit: 500 }),
    usual = (own?.rows.find(d => d.is_default) ?? own?.rows.find(d => d.is_verified) ?? own?.rows[0])?.id ?? '',
    [start] = useState<Draft>(() =>
      l ? draftOf(l) : { name: '', slug: newAlias(), domain_id: '', destination_url: '', source_id: '', notes: '', rules: [] },
    )
  const [draft, setDraft] = useState(start),
    [wrong, setWrong] = useState<Wrong>(),
    [busy, setBusy] = useState(false),
    may = canWrite(),
    changed = JSON.stringify(draft) !== JSON.stringify(start)
  const domains = own?.rows.map(d => ({ value: d.id, label: d.domain, side: d.is_verified ? '' : t.campaigns.unverified })),
    sources = useSources(),
    lookup = useLookup({ source_id: choicesOf(sources) })
  const set = (change: Partial<Draft>) => {
    setDraft(now => ({ ...now, ...change }))
    setWrong(undefined)
  }
  const save = async () => {
    if (busy || !may) return
    setBusy(true)
    setWrong(undefined)
    const { source_id, ...rest } = draft,
      body = {
        ...rest,
        domain_id: draft.domain_id || usual,
        source_id: source_id || null,
        rules: draft.rules.map((r, i) => ({ ...r, position: i + 1, conditions: r.conditions.map(sent) })),
      }
    try {
      if (l) await call('PUT /short-links', { body: { ...body, id: l.id } })
      else await call('POST /short-links', { body })
      touches('short-links')
      toast(w.saved(draft.name || draft.slug))
      close()
    } catch (e) {
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
      setWrong({ ...at, text: w.errors[error.code] ?? at.text })
      setBusy(false)
    }
  }
  usePress(e => {
    if ((e.ctrlKey || e.metaKey) && e.key === 's') {
      e.preventDefault()
      void save()
    } else if (l && e.key === 'y' && !e.ctrlKey && !e.metaKey && !e.altKey && !(e.target as Element).closest('input, textarea, select')) {
      e.preventDefault()
      void copy(l.url, w.copied)
    }
  })
  const at = (field: string) => (wrong?.field === field ? wrong.text : undefined)
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
      {own && own.rows.length === 0 && (
        <div class="part row">
          <span class="ico warn">
            <Icon name="warn" />
          </span>
          <span class="grow">{w.noDomain}</span>
          <a class="btn sm" href={to('/app/domains')}>
            {w.toDomains}
          </a>
        </div>
      )}
      {l && (
        <section class="part">
          <div class="row linkrow">
            <Copy lines text={l.url} label={w.link} />
          </div>
          <details class="addurl">
            <summary>{w.qr}</summary>
            <QR text={l.url} label={w.qrOf(l.url)} />
          </details>
        </section>
      )}
      {l && <Stats id={l.id} />}
      <form
        class="record smartlink"
        noValidate
        onSubmit={e => {
          e.preventDefault()
          void save()
        }}>
        <fieldset disabled={!may}>
          <section class="part">
            <h2>{w.basics}</h2>
            <div class="fields">
              <Field label={w.name} error={at('name')}>
                {wired => <Input wired={wired} value={draft.name} maxLength={255} on={name => set({ name })} />}
              </Field>
              <Field label={w.slug} hint={w.slugHint} error={at('slug')}>
                {wired => (
                  <Input wired={wired} class="mono" value={draft.slug} maxLength={64} spellcheck={false} on={slug => set({ slug })} />
                )}
              </Field>
              <Field label={w.domain} error={at('domain_id')}>
                {wired => (
                  <Combobox
                    wired={wired}
                    label={w.domain}
                    value={draft.domain_id || usual}
                    choices={domains}
                    on={domain_id => set({ domain_id })}
                  />
                )}
              </Field>
              <Field label={w.source} error={at('source_id')}>
                {wired => (
                  <Combobox
                    wired={wired}
                    label={w.source}
                    value={draft.source_id}
                    shown={draft.source_id ? undefined : w.noSource}
                    choices={sources && [{ value: '', label: w.noSource }, ...(choicesOf(sources) ?? [])]}
                    on={source_id => set({ source_id })}
                  />
                )}
              </Field>
            </div>
          </section>
          <section class="part">
            <h2>{w.rules}</h2>
            <p class="dim">{w.rulesText}</p>
            {draft.rules.length === 0 && <p class="soft">{w.noRules}</p>}
            <ol class="linkrules">
              {draft.rules.map((r, i) => (
                <One
                  key={r.id ?? i}
                  of={r}
                  n={i + 1}
                  last={draft.rules.length}
                  lookup={lookup}
                  on={next => set({ rules: draft.rules.map((o, j) => (j === i ? next : o)) })}
                  remove={() => set({ rules: draft.rules.filter((_, j) => j !== i) })}
                  move={by => {
                    const rules = [...draft.rules],
                      [one] = rules.splice(i, 1)
                    rules.splice(i + by, 0, one!)
                    set({ rules })
                  }}
                />
              ))}
            </ol>
            {at('rules') && (
              <p class="bad" role="alert">
                {at('rules')}
              </p>
            )}
            {may && (
              <div>
                <button
                  type="button"
                  class="btn sm"
                  disabled={draft.rules.length >= mostRules}
                  title={draft.rules.length >= mostRules ? w.most : undefined}
                  onClick={() => set({ rules: [...draft.rules, { name: '', logic: 'and', conditions: [fresh()], destination_url: '' }] })}>
                  <Icon name="plus" />
                  {w.addRule}
                </button>
              </div>
            )}
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
            <Field label={w.notes} error={at('notes')}>
              {wired => <Area wired={wired} value={draft.notes} max={2000} rows={2} on={notes => set({ notes })} />}
            </Field>
          </section>
        </fieldset>
        <FormError wrong={wrong} />
        {may && (
          <div class="row formfoot">
            <span class="grow" />
            <button type="button" class="btn" onClick={close}>
              {t.parts.cancel}
            </button>
            <button class="btn primary" disabled={busy || (!!l && !changed)}>
              {l ? t.parts.save : w.create}
              <kbd class="wide">Ctrl S</kbd>
            </button>
          </div>
        )}
      </form>
    </Sheet>
  )
}

type OneProps = {
  of: Rule
  n: number
  last: number
  on: (r: Rule) => void
  remove: () => void
  move: (by: number) => void
  lookup: ReturnType<typeof useLookup>
}

// One shows a rule: the visitors that it fits, and where it leads.
function One({ of: r, n, last, on, remove, move, lookup }: OneProps) {
  const name = w.ruleOf(n, r.name)
  return (
    <li>
      <div class="linkrule" role="group" aria-label={name}>
        <div class="row">
          <span class="face" aria-hidden="true">
            {n}
          </span>
          <Input aria-label={w.ruleName(n)} placeholder={w.ruleOf(n, '')} value={r.name} maxLength={255} on={v => on({ ...r, name: v })} />
          <button type="button" class="btn quiet icon" aria-label={w.up(name)} disabled={n === 1} onClick={() => move(-1)}>
            <Icon name="upward" />
          </button>
          <button type="button" class="btn quiet icon" aria-label={w.down(name)} disabled={n === last} onClick={() => move(1)}>
            <Icon name="down" />
          </button>
          <button type="button" class="btn quiet icon" aria-label={t.parts.remove(name)} onClick={remove}>
            <Icon name="x" />
          </button>
        </div>
        <Conditions
          label={w.conditionsOf(name)}
          empty={w.noCondition}
          list={r.conditions}
          logic={r.logic}
          lookup={lookup}
          on={(conditions, logic) => on({ ...r, conditions, logic })}
        />
        <Field label={w.ruleURL}>
          {wired => (
            <UrlInput wired={wired} label={w.ruleURL} value={r.destination_url} on={destination_url => on({ ...r, destination_url })} />
          )}
        </Field>
      </div>
    </li>
  )
}

// Stats shows the clicks of the window by rule and by destination.
function Stats({ id }: { id: string }) {
  const { data, error, again } = use('GET /short-links/{id}/stats', { from: span.value.from, to: span.value.to }, 30, { id })
  if (!data)
    return (
      <section class="part">
        {error ? (
          <Failed error={error} again={again} />
        ) : (
          <Late>
            <div class="skeleton" style="height:120px" />
          </Late>
        )}
      </section>
    )
  return (
    <section class="part linkstats">
      <div class="row wraps">
        <h2>{w.stats}</h2>
        <span class="dim fine">{spanText(span.value.span)}</span>
        <span class="grow" />
        <b class="num">{w.total(data.clicks, count(data.clicks))}</b>
        {data.bot_clicks > 0 && <span class="dim num">{w.bots(count(data.bot_clicks))}</span>}
      </div>
      {data.clicks + data.bot_clicks === 0 ? (
        <p class="dim">{w.noClicks}</p>
      ) : (
        <div class="grid pair">
          <Bars title={w.byRule} rows={rulesOf(data)} of={data.clicks} />
          <Bars
            title={w.byDestination}
            rows={data.destinations.map(d => ({ name: d.destination_url, clicks: d.clicks }))}
            of={data.clicks}
          />
        </div>
      )}
    </section>
  )
}

const rulesOf = (s: SmartlinkStats) =>
  s.rules.map((r, i) => ({
    name: r.rule_id === null ? w.noRule : r.name || (i < s.rules.findIndex(o => o.rule_id === null) ? w.ruleOf(i + 1, '') : w.goneRule),
    clicks: r.clicks,
  }))

const Bars = ({ title, rows, of }: { title: string; rows: { name: string; clicks: number }[]; of: number }) => (
  <div>
    <h3 class="label">{title}</h3>
    <ul class="places">
      {rows.map((r, i) => (
        <li key={i} class="barline">
          <i style={`width:${of ? (r.clicks / of) * 100 : 0}%`} />
          <span class="cut" title={r.name}>
            {r.name}
          </span>
          <span class="grow" />
          <b class="num">{count(r.clicks)}</b>
        </li>
      ))}
    </ul>
  </div>
)
